// Threads past the end do no work but reach the barrier like the rest of their block.
// launch: --grid 4 --block 64 --arg n=200 --buffer x=4*n --buffer y=4*n
// params: n,x,y
// expect-none
extern "C" __global__ void barrier_without_return(int n, const float* x, float* y)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    if (i < n)
        y[i] = s[t] - s[t ^ 1];
}
