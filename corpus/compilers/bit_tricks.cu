// Population count, leading zeros, reversal, find first, byte permutation, funnel shift.
// launch: --grid 2 --block 64 --arg n=100 --buffer x=4*n --buffer y=4*n
// params: n,x,y
// expect-none
extern "C" __global__ void bit_tricks(int n, const unsigned* x, unsigned* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned v = x[i];
        y[i] = __popc(v) + __clz(v) + __brev(v) + __ffs(v) + __byte_perm(v, ~v, 0x3715)
             + __funnelshift_l(v, i, 5) + __funnelshift_rc(v, i, 40) + __popcll(v * 7919ull)
             + __clzll(v | 1ull) + __mul24(v, i) + __umulhi(v, 77777u) + __usad(v, i, 3);
    }
}
