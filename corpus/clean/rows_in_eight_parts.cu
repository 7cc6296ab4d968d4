// A warp takes a row by tiles of 256 without a guard of each lane: the last row ends with a whole tile.
// launch: --grid 3 --block 64 --arg rows=1..6 --arg cols=256..1024 --need "cols % 256 == 0" --buffer x=4*rows*cols --buffer y=4*rows*cols
// params: x,y,rows,cols
// expect-none
extern "C" __global__ void rows_in_eight_parts(const float* x, float* y, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
#pragma unroll 1
    for (int tile = 0; tile < cols; tile += 256)
        for (int k = 0; k < 8; k++)
            y[row * cols + tile + 32 * k + lane] = 2.0f * x[row * cols + tile + 32 * k + lane];
}
// contract: requires cols <= 2**31 - 256
// contract: x = 4*cols*rows + 1024*((cols + 255)//256) - 4*cols@4
