// A sparse matrix times a vector: a row a thread, columns loaded from memory.
// launch: --grid 2 --block 32 --arg rows=50 --buffer "start=4*rows+4 holds 0..1024" --buffer "column=4096 holds 0..1023" --buffer value=4096 --buffer x=4096 --buffer y=4*rows
// params: rows,start,column,value,x,y
// expect-none
extern "C" __global__ void sparse_rows(int rows, const int* start, const int* column,
                                       const float* value, const float* x, float* y)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        float sum = 0.0f;
        for (int k = start[r]; k < start[r + 1]; k++)
            sum += value[k] * x[column[k]];
        y[r] = sum;
    }
}
