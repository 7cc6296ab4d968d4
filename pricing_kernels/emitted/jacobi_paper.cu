// A step of Jacobi by the tile of the paper.
namespace jacobi_paper {
enum : unsigned { TILE_X = 32u };
enum : unsigned { TILE_Y = 16u };
extern "C" __global__ void __launch_bounds__(512) jacobi_paper(double* after, const double* before, unsigned rows, unsigned columns)
#line 102 "tiles.py"
{
    __shared__ double tile[TILE_Y][TILE_X];
    unsigned x = threadIdx.x, column = blockIdx.x * (TILE_X - 2) + x;
    unsigned y = threadIdx.y, line = blockIdx.y * (TILE_Y - 2) + y;
    unsigned pitch = columns + 2, at = line * pitch + column;
    if (column < columns + 2 && line < rows + 2)
        tile[y][x] = before[at];
    __syncthreads();
    if (x < TILE_X - 2 && y < TILE_Y - 2 && column < columns && line < rows)
        after[at + pitch + 1] = 0.2 * (tile[y][x + 1] + tile[y + 1][x] + tile[y + 1][x + 1]
                                       + tile[y + 1][x + 2] + tile[y + 2][x + 1]);
}
}
