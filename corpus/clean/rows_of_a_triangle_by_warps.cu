// Warps add the rows of a triangle, as long as their number, of a square matrix.
// launch: --grid 5 --block 64 --arg n=1..10 --buffer x=4*n*n --buffer y=4*n
// params: x,y,n
// expect-none
extern "C" __global__ void rows_of_a_triangle_by_warps(const float* x, float* y, int n)
{
    int lane = threadIdx.x % 32, row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= n) return;
    float sum = 0;
    for (int j = lane; j <= row; j += 32)
        sum += x[row * n + j];
    for (int d = 16; d; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (lane == 0)
        y[row] = sum;
}
// contract: requires nctaid.x*ntid.x <= 2**36
// contract: x = 4*n*n@4
// contract: y = 4*n@4
