// A matrix is turned over by tiles of 32 x 32 elements that a block of any height, which divides 32, goes over.
// launch: --grid 2x3 --block 32x8 --arg rows=70 --arg cols=45 --buffer x=4*rows*cols --buffer y=4*rows*cols
// params: x,y,rows,cols
// expect-none
extern "C" __global__ void tile_turned_by_any_block(const float* x, float* y, int rows, int cols)
{
    __shared__ float tile[32][33];
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += blockDim.y)
        if (column < cols && row + k < rows) tile[threadIdx.y + k][threadIdx.x] = x[(row + k) * cols + column];
    __syncthreads();
    column = blockIdx.y * 32 + threadIdx.x;
    row = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += blockDim.y)
        if (column < rows && row + k < cols) y[(row + k) * rows + column] = tile[threadIdx.x][threadIdx.y + k];
}
// contract: requires 32 % ntid.y == 0
// contract: x = 4*cols*rows@4
// contract: y = 4*cols*rows@4
