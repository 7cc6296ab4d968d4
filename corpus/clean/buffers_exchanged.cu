// A stencil in several steps: the two buffers are exchanged after each, by their pointers.
// launch: --grid 1 --block 128 --arg n=120 --arg steps=5 --buffer x=4*n --buffer y=4*n
// params: x,y,n,steps
// expect-none
extern "C" __global__ void buffers_exchanged(float* x, float* y, int n, int steps)
{
    int i = threadIdx.x;
    for (int step = 0; step < steps; step++) {
        if (i > 0 && i < n - 1)
            y[i] = 0.5f * (x[i - 1] + x[i + 1]);
        __syncthreads();
        float* last = x;
        x = y;
        y = last;
    }
}
