// The guard lets thread n pass, which the grid does not have: the buffers end with the grid.
// launch: --grid 4 --block 32 --arg n=128 --buffer out=4*n --buffer a=4*n --buffer b=4*n
// params: out,a,b,n
// expect-none
extern "C" __global__ void residual_up_to_n(float* out, const float* a, const float* b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > n)
        return;
    out[i] = a[i] + b[i];
}
// contract: requires nctaid.x*ntid.x <= 2**31
// contract: out = min(4*n + 4, 4*nctaid.x*ntid.x)@4
