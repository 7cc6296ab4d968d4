// Histogram in shared memory whose clearing loop takes one bin too many.
// launch: --grid 2 --block 128 --arg n=1000 --buffer x=n --buffer counts=4*256
// params: n,x,counts
extern "C" __global__ void histogram_clear_too_far(int n, const unsigned char* x, int* counts)
{
    __shared__ int bins[256];
    for (int b = threadIdx.x; b <= 256; b += blockDim.x)
        bins[b] = 0;  // expect: out-of-bounds
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[x[i]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        atomicAdd(&counts[b], bins[b]);
}
