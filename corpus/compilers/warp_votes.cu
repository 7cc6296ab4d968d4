// Ballot, any, all, match and active masks.
// launch: --grid 1 --block 64 --buffer x=4*64 --buffer y=4*64
// params: x,y
// expect-none
extern "C" __global__ void warp_votes(const int* x, unsigned* y)
{
    int i = threadIdx.x;
    unsigned full = 0xffffffffu;
    unsigned b = __ballot_sync(full, x[i] > 3);
    unsigned m = __match_any_sync(full, x[i] & 3);
    int all;
    unsigned a = __match_all_sync(full, x[i], &all);
    y[i] = b ^ m ^ a ^ __activemask() ^ (__any_sync(full, x[i]) ? 1u : 0u)
         ^ (__all_sync(full, x[i] >= 0) ? 2u : 0u) ^ all;
}
