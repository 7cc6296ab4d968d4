// Sums of columns from the last row up: the loop counts down, and does the odd rows first.
// launch: --grid 2 --block 32 --arg rows=1..9 --arg cols=1..50 --buffer a=4*rows*cols
// params: a,rows,cols
// expect-none
extern "C" __global__ void columns_from_below(float* a, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols)
        return;
    float sum = 0.0f;
    for (int r = rows - 2; r >= 0; r--) {
        sum += a[r * cols + c];
        a[r * cols + c] = sum;
    }
}
