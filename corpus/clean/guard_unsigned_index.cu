// An unsigned index, as much code writes it: one comparison bounds it on both sides.
// launch: --grid 3 --block 64 --arg n=1..150 --buffer x=4*n --buffer y=4*n
// params: n,x,y
// expect-none
extern "C" __global__ void guard_unsigned_index(unsigned n, const unsigned* x, unsigned* y)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] ^ 0x5bd1e995u;
}
