// A sparse matrix times a vector, a warp a row: where rows begin and which columns they have is data.
// launch: --grid 2 --block 64 --arg rows=4 --arg columns=10 --arg entries=10 --buffer "start=4*rows+4 holds 0..entries" --buffer "column=4*entries holds 0..columns-1" --buffer value=4*entries --buffer x=4*columns --buffer y=4*rows
// params: rows,columns,entries,start,column,value,x,y
// input: start=arange:i4 column=arange:i4
// expect-none
extern "C" __global__ void sparse_rows_by_warps(int rows, int columns, int entries,
                                                const int* start, const int* column,
                                                const float* value, const float* x, float* y)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int k = start[row] + lane; k < start[row + 1]; k += 32)
        sum += value[k] * x[column[k]];
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (lane == 0)
        y[row] = sum;
}
