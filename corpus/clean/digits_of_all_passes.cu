// The digits of all passes of a radix sort are counted at once: bits from begin to end, eight at a time, the last fewer.
// launch: --grid 2 --block 64 --arg n=100 --arg begin=4 --arg end=29 --buffer bins=4096 --buffer keys=400
// params: bins,keys,n,begin,end
// expect-none
extern "C" __global__ void digits_of_all_passes(unsigned* bins, const unsigned* keys, int n, int begin, int end)
{
    __shared__ unsigned counts[4][256];
    const int passes = (end - begin + 7) / 8;
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
#pragma unroll 1
        for (int p = 0; p < passes; ++p) counts[p][b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const unsigned key = keys[i];
#pragma unroll 1
        for (int at = begin, pass = 0; at < end; at += 8, ++pass) {
            const unsigned digit = (key >> at) & ~(~0u << min(8, end - at));
            atomicAdd(&counts[pass][digit], 1u);
        }
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
#pragma unroll 1
        for (int p = 0; p < passes; ++p) atomicAdd(&bins[p * 256 + b], counts[p][b]);
}
// contract: requires end <= begin + 32
// contract: bins = 1024*((end - begin + 7)//8)@4
// contract: keys = 4*n@4
