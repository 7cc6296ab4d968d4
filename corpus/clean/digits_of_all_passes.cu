// Counts the digits of keys for all passes of a radix sort: eight bits each, or those that are left in the last pass.
// launch: --grid 3 --block 128 --arg n=383 --arg begin=2 --arg end=29 --buffer keys=1532 --buffer counts=4096
// params: keys,counts,n,begin,end
// expect-none
extern "C" __global__ void digits_of_all_passes(const unsigned* keys, unsigned* counts, int n, int begin, int end)
{
    __shared__ unsigned own[4 * 256];
    for (int i = threadIdx.x; i < 4 * 256; i += blockDim.x) own[i] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int pass = 0;
    for (int bit = begin; i < n && bit < end; bit += 8, ++pass) {
        unsigned mask = (1u << min(end - bit, 8)) - 1;
        atomicAdd(&own[256 * pass + ((keys[i] >> bit) & mask)], 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 4 * 256; i += blockDim.x) atomicAdd(&counts[i], own[i]);
}
