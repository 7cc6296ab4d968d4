// Dynamic shared memory carved into two arrays of different types.
// launch: --grid 2 --block 64 --shared 1024 --buffer x=8*128 --buffer y=4*128
// params: x,y
// expect-none
extern __shared__ char pool[];
extern "C" __global__ void dynamic_shared_carved(const double* x, int* y)
{
    double* wide = (double*)pool;
    int* narrow = (int*)(pool + 8 * blockDim.x);
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    wide[t] = x[i];
    narrow[t] = t;
    __syncthreads();
    y[i] = (int)wide[blockDim.x - 1 - t] + narrow[t ^ 1];
}
