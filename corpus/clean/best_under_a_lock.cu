// The largest sum of a block and its number, written under a lock that blocks spin on: two words.
// launch: --grid 4 --block 32 --buffer in=4*128 --buffer best=4 --buffer winner=4 --buffer lock=4 --values lock=0..0
// params: in,best,winner,lock
// input: lock=zeros:i4
// expect-none
extern "C" __global__ void best_under_a_lock(const int* in, int* best, int* winner,
    int* lock)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int own = __reduce_add_sync(0xffffffffu, in[i]);
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        __threadfence();
        if (own > *best) {
            *best = own;
            *winner = blockIdx.x;
        }
        __threadfence();
        atomicExch(lock, 0);
    }
}
