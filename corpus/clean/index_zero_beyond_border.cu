// A difference that takes zero beyond the borders: selected loads instead of branches.
// launch: --grid 2 --block 64 --arg n=100 --buffer x=4*n --buffer y=4*n
// params: n,x,y
// expect-none
extern "C" __global__ void index_zero_beyond_border(int n, const float* x, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float left = i > 0 ? x[i - 1] : 0.0f;
    float right = i + 1 < n ? x[i + 1] : 0.0f;
    y[i] = 0.5f * (right - left);
}
