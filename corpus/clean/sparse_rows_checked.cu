// A sparse matrix times a vector that trusts no index: what it loads, it tests before it uses.
// launch: --grid 1 --block 32 --arg rows=20 --arg columns=30 --arg entries=50 --buffer start=4*rows+4 --buffer column=4*entries --buffer value=4*entries --buffer x=4*columns --buffer y=4*rows
// params: rows,columns,entries,start,column,value,x,y
// input: start=arange:i4 column=arange:i4
// expect-none
extern "C" __global__ void sparse_rows_checked(int rows, unsigned columns, int entries,
                                               const int* start, const unsigned* column,
                                               const float* value, const float* x, float* y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0.0f;
    int end = min(start[row + 1], entries);
    for (int k = max(start[row], 0); k < end; k++)
        if (column[k] < columns)
            sum += value[k] * x[column[k]];
    y[row] = sum;
}
// contract: requires entries <= 2**31 - 4
// contract: column = 4*entries@4
// contract: value = 4*entries@4
