// Reductions across a warp in one instruction.
// launch: --grid 1 --block 64 --buffer x=4*64 --buffer y=4*64
// params: x,y
// expect-none
extern "C" __global__ void warp_reduce_add(const unsigned* x, unsigned* y)
{
    unsigned v = x[threadIdx.x];
    y[threadIdx.x] = __reduce_add_sync(0xffffffffu, v) + __reduce_max_sync(0xffffffffu, v)
                   + __reduce_xor_sync(0xffffffffu, v);
}
