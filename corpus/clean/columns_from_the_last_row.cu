// Sums of columns from the last row upwards: a pointer runs back to where the column begins.
// launch: --grid 2 --block 64 --arg columns=100 --arg rows=30 --arg pitch=112 --buffer x=4*(pitch*(rows-1)+columns)
// params: x,columns,rows,pitch
// expect-none
extern "C" __global__ void columns_from_the_last_row(float* x, int columns, int rows, size_t pitch)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns)
        return;
    float *p = x + (rows - 1) * pitch + column, sum = *p;
    while (p != x + column) {
        p -= pitch;
        sum += *p;
        *p = sum;
    }
}
