// A recurrence over the last two rows of one more than n elements, kept in three parts of shared memory that change places.
// launch: --grid 3 --block 64 --shared 12*101 --arg n=100 --arg steps=7 --buffer x=4*3*101 --buffer y=4*3*101
// params: x,y,n,steps
// expect-none
extern "C" __global__ void thirds_in_turns(const float *x, float *y, int n, int steps)
{
    extern __shared__ float rows[];
    float *before = rows, *now = rows + (n + 1), *next = rows + 2 * (n + 1);
    for (int i = threadIdx.x; i <= n; i += blockDim.x) {
        before[i] = 0.0f;
        now[i] = x[blockIdx.x * (n + 1) + i];
    }
    for (int t = 0; t < steps; ++t) {
        __syncthreads();
        for (int i = threadIdx.x; i <= n; i += blockDim.x)
            next[i] = i == 0 ? now[0] : now[i - 1] + now[i] - before[i];
        float *other = before;
        before = now;
        now = next;
        next = other;
    }
    __syncthreads();
    for (int i = threadIdx.x; i <= n; i += blockDim.x) y[blockIdx.x * (n + 1) + i] = now[i];
}
// contract: requires n <= 2**30 - 2
// contract: x = 4*n*nctaid.x + 4*nctaid.x@4
