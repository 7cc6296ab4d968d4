// The right neighbour, clamped to the length instead of the last index.
// launch: --grid 2 --block 64 --arg n=100 --buffer x=4*n --buffer y=4*n
// params: n,x,y
extern "C" __global__ void index_clamped_to_length(int n, const float* x, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[min(i + 1, n)] - x[max(i - 1, 0)];  // expect: out-of-bounds
}
