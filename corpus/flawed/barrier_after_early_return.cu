// Threads past the end return before the barrier that the rest of their block waits at.
// launch: --grid 4 --block 64 --arg n=200 --buffer x=4*n --buffer y=4*n
// params: n,x,y
extern "C" __global__ void barrier_after_early_return(int n, const float* x, float* y)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    if (i >= n)
        return;
    s[t] = x[i];
    __syncthreads();  // expect: divergent-barrier
    y[i] = s[t] - s[t ^ 1];
}
