// Sums of the columns of one of two matrices: the offsets of a loop are added to what was selected.
// launch: --grid 2 --block 64 --arg columns=100 --arg rows=7 --arg second=1 --buffer a=4*columns*rows --buffer b=4*columns*rows --buffer y=4*columns
// params: a,b,y,columns,rows,second
// expect-none
extern "C" __global__ void row_of_one_of_two(const float* a, const float* b, float* y, int columns, int rows, int second)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns)
        return;
    const float* p = (second ? b : a) + column;
    float sum = 0.0f;
    for (int row = 0; row < rows; row++) {
        sum += *p;
        p += columns;
    }
    y[column] = sum;
}
