// The barrier stands before the branch, so the whole block reaches it.
// launch: --grid 2 --block 64 --buffer out=4*128
// params: out
// expect-none
extern "C" __global__ void barrier_before_divergent_if(int* out)
{
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    if (t < 48)
        out[blockIdx.x * 64 + t] = s[47 - t];
}
