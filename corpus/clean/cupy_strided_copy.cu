// Two axes as CuPy places an index on them: a division, or a shift and a mask where the axis is a power of two.
// launch: --grid 2 --block 64 --arg size=280 --arg columns=40 --arg x_row=320 --arg x_column=4 --arg y_row=160 --arg y_column=4 --buffer x=2240 --buffer y=1120
// params: x,y,size,columns,x_row,x_column,y_row,y_column
// expect-none
extern "C" __global__ void cupy_strided_copy(const char* x, char* y, ptrdiff_t size,
                                             ptrdiff_t columns, ptrdiff_t x_row,
                                             ptrdiff_t x_column, ptrdiff_t y_row,
                                             ptrdiff_t y_column)
{
#pragma unroll 1
    for (ptrdiff_t i = (ptrdiff_t)blockIdx.x * blockDim.x + threadIdx.x; i < size;
         i += (ptrdiff_t)blockDim.x * gridDim.x) {
        unsigned n = (unsigned)columns, row = (unsigned)i, column;
        if (n & (n - 1)) {
            unsigned quotient = row / n;
            column = row - quotient * n;
            row = quotient;
        } else {
            column = row & (n - 1);
            row >>= __popc(n - 1);
        }
        *(float*)(y + (int)(y_row * row + y_column * column)) =
            *(const float*)(x + (int)(x_row * row + x_column * column));
    }
}
