// Sums over rows between loaded ends, four elements an iteration: the last row ends with the buffer.
// launch: --grid 2 --block 32 --arg rows=50 --arg entries=150 --buffer "start=4*rows+4 holds 0..entries" --buffer value=4*entries --buffer y=4*rows
// params: rows,entries,start,value,y
// input: start=arange:i4
// expect-none
extern "C" __global__ void sums_of_sparse_rows(int rows, int entries, const int* start,
                                               const float* value, float* y)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float sum = 0.0f;
    for (int k = start[r]; k < start[r + 1]; k++)
        sum += value[k];
    y[r] = sum;
}
// contract: requires start.min >= 0
// contract: value = 4*start.max@4
