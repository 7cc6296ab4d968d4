// A histogram over a range of numbers: what lies outside counts in the first and the last bin.
// launch: --grid 2 --block 64 --arg n=1..110 --arg bins=1..20 --arg scale=3.5 --buffer x=4*n --buffer counts=4*bins
// params: n,bins,scale,x,counts
// expect-none
extern "C" __global__ void scatter_clamped_bins(int n, int bins, float scale, const float* x, int* counts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int bin = static_cast<int>(floorf(x[i] * scale));
        atomicAdd(&counts[min(max(bin, 0), bins - 1)], 1);
    }
}
