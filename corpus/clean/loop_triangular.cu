// A packed lower triangle: row r begins at r(r+1)/2, and a block takes a row.
// launch: --grid 20 --block 32 --arg n=1..20 --buffer packed=2*n*n+2*n --buffer x=4*n --buffer y=4*n
// params: n,packed,x,y
// expect-none
extern "C" __global__ void loop_triangular(int n, const float* packed, const float* x, float* y)
{
    int row = blockIdx.x;
    if (row >= n)
        return;
    float sum = 0.0f;
    for (int column = threadIdx.x; column <= row; column += 32)
        sum += packed[row * (row + 1) / 2 + column] * x[column];
    for (int lanes = 16; lanes > 0; lanes >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, lanes);
    if (threadIdx.x == 0)
        y[row] = sum;
}
