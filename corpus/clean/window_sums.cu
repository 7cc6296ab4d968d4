// Sums over a window from prefix sums, the window cut at the ends.
// launch: --grid 3 --block 32 --arg n=1..90 --arg r=0..20 --buffer p=8*n+8 --buffer y=8*n
// params: p,y,n,r
// expect-none
extern "C" __global__ void window_sums(const double* p, double* y, int n, int r)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = p[min(i + r + 1, n)] - p[max(i - r, 0)];
}
