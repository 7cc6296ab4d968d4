// A maximum of floats by compare and swap in a loop.
// launch: --grid 2 --block 32 --arg n=64 --buffer x=4*n --buffer best=4
// params: n,x,best
// expect-none
extern "C" __global__ void spin_lock_free_max(int n, const float* x, int* best)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int seen = *best, mine = __float_as_int(x[i]);
    while (__int_as_float(seen) < x[i]) {
        int old = atomicCAS(best, seen, mine);
        if (old == seen)
            break;
        seen = old;
    }
}
