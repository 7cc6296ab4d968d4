// A 32 x 32 tile of doubles read by column: both words of a column's elements lie in two banks.
// launch: --grid 1 --block 32x8 --buffer in=8*1024 --buffer out=8*1024
// params: in,out
extern "C" __global__ void double_tile_32(const double* in, double* out)
{
    __shared__ double tile[32][32];
    int x = threadIdx.x;
    int y = threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        tile[y + j][x] = in[(y + j) * 32 + x];
    __syncthreads();
    for (int j = 0; j < 32; j += 8)
        out[(y + j) * 32 + x] = tile[x][y + j];  // expect: shared-bank-conflict
}
