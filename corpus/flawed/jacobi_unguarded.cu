// The threads below the last row of the grid load, too.
// twin: jacobi_paper.cu, emitted with it by pricing_kernels
// launch: --grid 3x2 --block 32x16 --arg rows=20 --arg columns=70 --buffer 'after=8*((rows + 2)*(columns + 2))@8' --buffer 'before=8*((rows + 2)*(columns + 2))@8' --assume 'nctaid.x*ntid.x >= 32*((columns + 29)//30)' --assume 'nctaid.y*ntid.y >= 16*((rows + 13)//14)'
// params: after,before,rows,columns
namespace jacobi_paper {
enum : unsigned { TILE_X = 32u };
enum : unsigned { TILE_Y = 16u };
extern "C" __global__ void __launch_bounds__(512) jacobi_unguarded(double* after, const double* before, unsigned rows, unsigned columns)
{
    __shared__ double tile[TILE_Y][TILE_X];
    unsigned x = threadIdx.x, column = blockIdx.x * (TILE_X - 2) + x;
    unsigned y = threadIdx.y, line = blockIdx.y * (TILE_Y - 2) + y;
    unsigned pitch = columns + 2, at = line * pitch + column;
    if (column < columns + 2)
        tile[y][x] = before[at];  // expect: out-of-bounds
    __syncthreads();
    if (x < TILE_X - 2 && y < TILE_Y - 2 && column < columns && line < rows)
        after[at + pitch + 1] = 0.2 * (tile[y][x + 1] + tile[y + 1][x] + tile[y + 1][x + 1]
                                       + tile[y + 1][x + 2] + tile[y + 2][x + 1]);
}
}
