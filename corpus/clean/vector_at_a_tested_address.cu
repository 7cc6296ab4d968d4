// Each thread adds four elements, as a vector if that is aligned: the last vector ends behind one element past whole vectors.
// launch: --grid 2 --block 32 --arg fours=1..16 --arg first=0..3 --buffer x=16*fours+4 --buffer y=4*fours
// params: x,y,fours,first
// expect-none
extern "C" __global__ void vector_at_a_tested_address(const float* x, float* y, int fours, unsigned first)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x, i = 4 * t + first;
    if (t >= fours || i > 4 * fours - 3 || reinterpret_cast<unsigned long long>(x + i) % 16 != 0)
        return;
    const float4 v = *reinterpret_cast<const float4*>(x + i);
    y[t] = v.x + v.y + v.z + v.w;
}
// contract: requires first >= 0
// contract: x = min(16*fours + 4, 4*first + 16*fours)@1
