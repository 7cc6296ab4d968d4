// Four floats at a time, and the last threads of the grid take the one to three that are left.
// launch: --grid 1 --block 64 --arg n=1..203 --buffer x=4*n --buffer y=4*n
// params: n,x,y
// expect-none
extern "C" __global__ void packed_four_and_tail(int n, const float* x, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, fours = n / 4;
    if (i < fours) {
        float4 v = reinterpret_cast<const float4*>(x)[i];
        reinterpret_cast<float4*>(y)[i] = make_float4(v.x + 1, v.y + 1, v.z + 1, v.w + 1);
    }
    int rest = 4 * fours + i;
    if (rest < n)
        y[rest] = x[rest] + 1;
}
