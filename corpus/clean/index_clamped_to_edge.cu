// Differences of neighbours, the index clamped at both edges of the row.
// launch: --grid 2 --block 64 --arg n=1..100 --buffer x=4*n --buffer y=4*n
// params: n,x,y
// expect-none
extern "C" __global__ void index_clamped_to_edge(int n, const float* x, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[min(i + 1, n - 1)] - x[max(i - 1, 0)];
}
