// Steps in dynamic shared memory: the pointers to its halves are exchanged after each.
// launch: --grid 1 --block 128 --arg n=100 --arg steps=5 --shared 8*n --buffer x=4*n --buffer y=4*n
// params: x,y,n,steps
// expect-none
extern "C" __global__ void halves_by_pointer(const float* x, float* y, int n, int steps)
{
    extern __shared__ float halves[];
    float *from = halves, *to = halves + n;
    int i = threadIdx.x;
    if (i < n)
        from[i] = x[i];
    __syncthreads();
    for (int step = 0; step < steps; step++) {
        if (i < n)
            to[i] = 0.5f * from[i];
        __syncthreads();
        float* last = from;
        from = to;
        to = last;
    }
    if (i < n)
        y[i] = from[i];
}
