// Tiles of 32 x 32 elements by blocks that take one after the other, in groups of four rows of tiles, of which the last may have fewer.
// launch: --grid 5 --block 32x8 --arg m=70 --arg n=45 --arg pitch=48 --buffer c=4*69*48+4*45
// params: c,m,n,pitch
// expect-none
extern "C" __global__ void tiles_in_groups_of_any_size(float *c, int m, int n, int pitch)
{
    const int rows = (m + 31) / 32, columns = (n + 31) / 32;
    for (int tile = blockIdx.x; tile < rows * columns; tile += gridDim.x) {
        int group = tile / (4 * columns), left = tile - group * 4 * columns;
        int height = min(4, rows - group * 4);
        int row = (group * 4 + left % height) * 32 + threadIdx.y, column = left / height * 32 + threadIdx.x;
        if (row < m && column < n) c[(size_t)row * pitch + column] = 0.0f;
    }
}
// contract: requires m*n + 31*m + 31*n + 1024*nctaid.x <= 2**41 + 62
// contract: c = 4*m*pitch + 4*n - 4*pitch@4
