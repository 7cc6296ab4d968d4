// A loop over all threads of a grid of three dimensions: an `int`, to which the grid's size in 64 bits is added.
// launch: --grid 2x1x2 --block 8x2x2 --arg n=100 --buffer x=4*n --buffer y=4*n
// params: x,y,n
// expect-none
extern "C" __global__ void int_over_the_grid(const float* x, float* y, int n)
{
    unsigned long long threads = (unsigned long long)(blockDim.x * blockDim.y * blockDim.z);
    unsigned long long block = ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x
        + blockIdx.x;
    unsigned int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    unsigned long long size = threads * gridDim.x * (gridDim.y * gridDim.z);
    for (int i = block * threads + thread; i < n; i += size)
        y[i] = 2 * x[i];
}
