// A matrix times a vector, a warp a row: lanes stride over the columns and fold by shuffle.
// launch: --grid 2 --block 128 --arg rows=1..7 --arg columns=1..75 --buffer a=4*rows*columns --buffer x=4*columns --buffer y=4*rows
// params: rows,columns,a,x,y
// expect-none
extern "C" __global__ void rows_by_warps(int rows, int columns, const float* a, const float* x,
                                         float* y)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int column = lane; column < columns; column += 32)
        sum += a[row * columns + column] * x[column];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (lane == 0)
        y[row] = sum;
}
