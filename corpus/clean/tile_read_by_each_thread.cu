// Each thread reads a whole tile of a block's size, unrolled by the compiler: the tile ends with the block.
// launch: --grid 2 --block 64 --shared 256 --buffer x=4*128 --buffer y=4*128
// params: x,y
// expect-none
extern "C" __global__ void tile_read_by_each_thread(const float* x, float* y)
{
    extern __shared__ float tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float own = x[i], sum = 0;
    for (int t = 0; t < gridDim.x; ++t) {
        tile[threadIdx.x] = x[t * blockDim.x + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < blockDim.x; ++j)
            sum += tile[j] - own;
        __syncthreads();
    }
    y[i] = sum;
}
