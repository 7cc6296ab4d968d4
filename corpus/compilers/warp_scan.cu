// An inclusive scan of a warp by shuffles, and a segmented one.
// launch: --grid 1 --block 64 --buffer x=4*64 --buffer y=4*64
// params: x,y
// expect-none
extern "C" __global__ void warp_scan(const int* x, int* y)
{
    int lane = threadIdx.x & 31, v = x[threadIdx.x];
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d)
            v += other;
    }
    y[threadIdx.x] = v + __shfl_xor_sync(0xffffffffu, v, 5, 8) + __shfl_sync(0xffffffffu, v, 3);
}
