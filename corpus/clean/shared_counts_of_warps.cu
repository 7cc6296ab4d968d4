// A histogram with a row of bins for each warp, so that warps do not wait for each other.
// launch: --grid 2 --block 128 --arg n=300 --buffer x=4*n --buffer bins=4*16
// params: n,x,bins
// expect-none
extern "C" __global__ void shared_counts_of_warps(int n, const unsigned* x, unsigned* bins)
{
    __shared__ unsigned counts[4][16];
    unsigned t = threadIdx.x, warp = t / 32;
    if (t < 64)
        counts[t / 16][t % 16] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 128 + t; i < n; i += gridDim.x * 128)
        atomicAdd(&counts[warp][x[i] >> 28], 1u);
    __syncthreads();
    if (t < 16)
        atomicAdd(&bins[t], counts[0][t] + counts[1][t] + counts[2][t] + counts[3][t]);
}
