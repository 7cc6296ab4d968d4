// A bit for each element, a word for each warp: the loop ends with whole warps, so that all lanes vote.
// launch: --grid 3 --block 128 --arg n=1000 --buffer x=4*n --buffer "mask=4*((n+31)//32)"
// params: x,mask,n
// expect-none
extern "C" __global__ void bits_of_a_mask(const float* x, unsigned* mask, unsigned n)
{
    unsigned end = (n + 31u) & ~31u, step = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < end; i += step) {
        unsigned bits = __ballot_sync(~0u, i < n && x[i] > 0.0f);
        if (threadIdx.x % 32 == 0) mask[i / 32] = bits;
    }
}
// contract: x = 4*n@4
// contract: mask = 4*((n + 31)//32)@4
