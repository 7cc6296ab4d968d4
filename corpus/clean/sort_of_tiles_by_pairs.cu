// Tiles of 256 keys are sorted by pairs in shared memory: the distance of a pair halves, from half of a group that doubles.
// launch: --grid 3 --block 128 --arg length=256 --buffer in=3072 --buffer out=3072
// params: out,in,length
// expect-none
__device__ inline void order(unsigned& low, unsigned& high, bool up)
{
    if ((low > high) == up) {  // ptxlint: ignore[shared-bank-conflict] pairs are close at the end
        unsigned other = low;
        low = high;  // ptxlint: ignore[shared-bank-conflict]
        high = other;  // ptxlint: ignore[shared-bank-conflict]
    }
}

extern "C" __global__ void sort_of_tiles_by_pairs(unsigned* out, const unsigned* in, unsigned length)
{
    __shared__ unsigned keys[256];
    unsigned t = threadIdx.x, i = blockIdx.x * 256 + t;
    keys[t] = in[i];
    keys[t + 128] = in[i + 128];
    for (unsigned group = 2; group <= length; group <<= 1)
        for (unsigned apart = group / 2; apart > 0; apart >>= 1) {
            __syncthreads();
            unsigned at = 2 * t - (t & (apart - 1));
            order(keys[at], keys[at + apart], group == length || (t & (group / 2)) == 0);
        }
    __syncthreads();
    out[i] = keys[t];
    out[i + 128] = keys[t + 128];
}
// contract: requires 256 % length == 0
// contract: in = 1024*nctaid.x + 4*ntid.x - 512@4
