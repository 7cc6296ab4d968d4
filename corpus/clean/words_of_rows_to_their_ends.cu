// Check sums of rows of words: a pointer runs to the end of the row, a warp apart.
// launch: --grid 25 --block 32x4 --arg rows=100 --arg pitch=64 --arg length=45 --buffer x=4*(pitch*(rows-1)+length) --buffer sums=128*rows
// params: x,sums,rows,pitch,length
// expect-none
extern "C" __global__ void words_of_rows_to_their_ends(const unsigned* x, unsigned* sums, int rows, int pitch, int length)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    const unsigned *p = x + row * pitch, *end = p + length;
    unsigned sum = 0;
    for (p += threadIdx.x; p < end; p += 32)
        sum = 31 * sum + *p;
    sums[row * 32 + threadIdx.x] = sum;
}
