// A thread adds four bytes of each row, whose pitch is a multiple of four: the last four end behind the width.
// launch: --grid 2 --block 32 --arg rows=1..3 --arg width=101 --arg pitch=104 --buffer x=rows*pitch@4 --buffer sums=pitch@4
// params: x,sums,rows,width,pitch
// expect-none
extern "C" __global__ void bytes_of_rows_by_fours(const unsigned char* x, unsigned char* sums, int rows, int width, int pitch)
{
    const int column = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (column >= width)
        return;
    uchar4 sum = make_uchar4(0, 0, 0, 0);
    for (int row = 0; row < rows; row++) {
        const uchar4 v = *reinterpret_cast<const uchar4*>(x + row * pitch + column);
        sum = make_uchar4(sum.x + v.x, sum.y + v.y, sum.z + v.z, sum.w + v.w);
    }
    *reinterpret_cast<uchar4*>(sums + column) = sum;
}
// contract: requires pitch % 4 == 0
// contract: x = pitch*rows + 4*((width + 3)//4) - pitch@4
// contract: sums = 4*((width + 3)//4)@4
