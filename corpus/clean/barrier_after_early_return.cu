// Threads past the end return before the barrier: from sm_70 on, who has exited is not waited for.
// launch: --grid 4 --block 64 --arg n=200 --buffer x=4*n --buffer y=4*n
// params: n,x,y
// expect-none
extern "C" __global__ void barrier_after_early_return(int n, const float* x, float* y)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    if (i >= n)
        return;
    s[t] = x[i];
    __syncthreads();
    y[i] = s[t] - s[0];
}
