// Digits of up to six bits are ranked in 16-bit counters of each thread, two in a word; there is one pass at least.
// launch: --grid 2 --block 64 --arg n=50 --arg begin=0 --arg end=20 --buffer ranks=256 --buffer keys=200
// params: ranks,keys,n,begin,end
static __device__ unsigned ones(unsigned bits)
{
    unsigned mask;
    asm("bmsk.clamp.b32 %0, 0, %1;" : "=r"(mask) : "r"(bits));
    return mask;
}

extern "C" __global__ void ranks_of_digits(unsigned short* ranks, const unsigned* keys, int n, int begin, int end)
{
    __shared__ unsigned counters[33][256];
    const int t = threadIdx.x;
    const unsigned key = t < n ? keys[t] : ~0u;
    int at = begin;
#pragma unroll 1
    do {
        for (int i = 0; i < 33; ++i) counters[i][t] = 0; // expect: low-occupancy
        const unsigned digit = (key >> at) & ones(min(6, end - at));
        unsigned short* count = reinterpret_cast<unsigned short*>(&counters[digit & 31][t]) + (digit >> 5);
        ranks[blockIdx.x * blockDim.x + t] = (*count)++;
        at += 6;
    } while (at < end);
}
// contract: requires begin + 1 <= end
// contract: ranks = 2*nctaid.x*ntid.x@2
// contract: keys = 4*n@4
