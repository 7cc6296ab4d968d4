// A table of 2**bits counters: the upper bits of a product, as a multiplicative hash is made, say which.
// launch: --grid 5 --block 64 --arg n=300 --arg bits=6 --buffer keys=1200 --buffer counts=256
// params: keys,counts,n,bits
// expect-none
extern "C" __global__ void place_by_upper_bits(const unsigned* keys, unsigned* counts, int n, int bits)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd(&counts[(keys[i] * 2654435769u) >> (32 - bits)], 1u);
}
// contract: requires bits >= 0
// contract: keys = 4*n@4
// contract: counts = 4*2**bits@4
