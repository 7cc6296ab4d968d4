// An array with its first and last elements reflected at its ends: the index is an absolute value.
// launch: --grid 2 --block 64 --arg n=122 --arg border=3 --buffer x=4*n --buffer y=4*n+8*border
// params: x,y,n,border
// expect-none
extern "C" __global__ void borders_reflected(const float* x, float* y, int n, int border)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n + 2 * border) return;
    int from = i - border;
    if (from < 0) from = -from;
    if (from >= n) from = 2 * n - 2 - from;
    y[i] = x[from];
}
// contract: requires border + 1 <= n
// contract: x = 4*n@4
// contract: y = 8*border + 4*n@4
