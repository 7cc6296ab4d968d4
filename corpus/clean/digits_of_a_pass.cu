// Counts the digits of keys for one pass of a radix sort: so many bits from a bit on, at most eight.
// launch: --grid 3 --block 128 --arg n=383 --arg bit=24 --arg bits=7 --buffer keys=1532 --buffer counts=512
// params: keys,counts,n,bit,bits
// expect-none
extern "C" __global__ void digits_of_a_pass(const unsigned* keys, unsigned* counts, int n, int bit, int bits)
{
    __shared__ unsigned own[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) own[i] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&own[(keys[i] >> bit) & ((1u << bits) - 1)], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 1 << bits; i += blockDim.x) atomicAdd(&counts[i], own[i]);
}
// contract: requires 2**bits <= 256
// contract: keys = 4*n@4
// contract: counts = 4*2**bits@4
