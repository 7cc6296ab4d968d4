// Tiles along an antidiagonal of a table with a border: rows are counted down by the block.
// launch: --grid 3 --block 16 --arg width=81 --arg tiles=3 --buffer score=4*width*81
// params: score,width,tiles
extern "C" __global__ void tiles_of_an_antidiagonal(int* score, int width, int tiles)
{
    __shared__ int tile[17][17];
    int t = threadIdx.x, column = blockIdx.x, row = tiles - 1 - (int)blockIdx.x;
    int corner = width * 16 * row + 16 * column;
    if (t == 0) tile[0][0] = score[corner];
    tile[0][t + 1] = score[corner + t + 1];
    tile[t + 1][0] = score[corner + width * (t + 1)];  // expect: uncoalesced-access
    __syncthreads();
    for (int line = 0; line < 31; line++) {
        int x = t + 1, y = line - t + 1;
        if (y >= 1 && y <= 16) tile[y][x] = max(tile[y - 1][x - 1] + 1, max(tile[y - 1][x], tile[y][x - 1]));  // expect: shared-bank-conflict
        __syncthreads();
    }
    for (int y = 0; y < 16; y++) score[corner + width * (y + 1) + t + 1] = tile[y + 1][t + 1];
}
// contract: requires nctaid.x*width + 1 <= tiles*width + nctaid.x
// contract: score = max(4*ntid.x*width + 64*tiles*width - 64*width + 4, 64*tiles*width + 4*ntid.x + 4)@4
