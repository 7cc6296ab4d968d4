// Four floats at a time over a length that is no multiple of four, rounded up.
// launch: --grid 1 --block 64 --arg n=203 --buffer x=4*n --buffer y=4*n
// params: n,x,y
extern "C" __global__ void packed_four_rounded_up(int n, const float4* x, float4* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (n + 3) / 4) {
        float4 v = x[i];  // expect: out-of-bounds
        y[i] = make_float4(v.x + 1, v.y + 1, v.z + 1, v.w + 1);  // expect: out-of-bounds
    }
}
