// A block's tile by groups of eight rows of tiles, of which the last has two.
// launch: --grid 30 --block 128 --buffer c=15360
// params: c
// expect-none
extern "C" __global__ void tiles_of_a_ragged_group(float *c)
{
    const int rows = 10, columns = 3;  // tiles of 128 elements
    int block = blockIdx.x;
    int first = block / (8 * columns) * 8;
    int height = min(rows - first, 8);
    int row = first + block % (8 * columns) % height;
    int column = block % (8 * columns) / height;
    c[128 * (columns * row + column) + threadIdx.x % 128] = 0.0f;
}
// contract: requires nctaid.x <= 48
// contract: c = max(512*((nctaid.x + 30)//2), 12288)@4
