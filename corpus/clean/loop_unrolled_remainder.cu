// Sums of columns, four rows at a time and then the rows that are left.
// launch: --grid 2 --block 32 --arg rows=11 --arg columns=50 --buffer x=4*rows*columns --buffer sums=4*columns
// params: rows,columns,x,sums
// expect-none
extern "C" __global__ void loop_unrolled_remainder(int rows, int columns, const float* x, float* sums)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns)
        return;
    float sum = 0.0f;
#pragma unroll 4
    for (int row = 0; row < rows; row++)
        sum += x[row * columns + column];
    sums[column] = sum;
}
