// As many rows as a table of the module has, four numbers each: more rows than the table has are no matter of the block.
// launch: --grid 2x2 --block 32x3 --arg n=50 --arg rows=4 --buffer x=4*4*50 --buffer y=4*4*50
// params: x,y,n,rows
// expect-none
__constant__ float weights[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
extern "C" __global__ void rows_of_a_short_table(const float *x, float *y, int n, int rows)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || row >= rows) return;
    float sum = 0;
    for (int k = 0; k < 4; ++k) sum += weights[row * 4 + k] * x[row * n + i];
    y[row * n + i] = sum;
}
// contract: requires rows <= 4
// contract: x = 4*n*rows@4
