// A 32 x 33 tile of doubles read by column: each phase of 16 lanes finds 32 different banks.
// launch: --grid 1 --block 32x8 --buffer in=8*1024 --buffer out=8*1024
// params: in,out
// expect-none
extern "C" __global__ void double_tile_33(const double* in, double* out)
{
    __shared__ double tile[32][33];
    int x = threadIdx.x;
    int y = threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        tile[y + j][x] = in[(y + j) * 32 + x];
    __syncthreads();
    for (int j = 0; j < 32; j += 8)
        out[(y + j) * 32 + x] = tile[x][y + j];
}
