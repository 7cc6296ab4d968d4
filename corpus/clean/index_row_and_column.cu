// An outer product over a flat index: division gives the row, remainder the column.
// launch: --grid 3 --block 128 --arg rows=1..9 --arg columns=1..40 --buffer a=4*rows --buffer b=4*columns --buffer out=4*rows*columns
// params: rows,columns,a,b,out
// expect-none
extern "C" __global__ void index_row_and_column(int rows, int columns, const float* a,
                                                const float* b, float* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * columns) {
        int row = i / columns, column = i % columns;
        out[i] = a[row] * b[column];
    }
}
