// A block's tile by groups of eight rows of tiles, as Triton orders those of a product: a division by the rows of a group.
// launch: --grid 24 --block 128 --buffer c=12288
// params: c
// expect-none
extern "C" __global__ void tiles_in_groups_of_rows(float *c)
{
    const int rows = 8, columns = 3;  // tiles of 128 elements
    int block = blockIdx.x;
    int first = block / (8 * columns) * 8;
    int height = min(rows - first, 8);
    int row = first + block % height;
    int column = block % (8 * columns) / height;
    c[128 * (columns * row + column) + threadIdx.x % 128] = 0.0f;
}
// contract: requires nctaid.x <= 24
// contract: c = 512*((nctaid.x + 168)//8)@4
