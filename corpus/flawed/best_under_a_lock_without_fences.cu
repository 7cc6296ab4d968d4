// Two words written under a lock that blocks spin on. No fence orders them after the lock is taken,
// or before it is given back.
// launch: --grid 4 --block 32 --buffer in=4*128 --buffer best=4 --buffer winner=4 --buffer lock=4 --values lock=0..0
// params: in,best,winner,lock
// input: lock=zeros:i4
extern "C" __global__ void best_under_a_lock_without_fences(const int* in, int* best, int* winner,
    int* lock)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int own = __reduce_add_sync(0xffffffffu, in[i]);
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        *best = own;  // expect: data-race
        *winner = blockIdx.x;  // expect: data-race
        atomicExch(lock, 0);
    }
}
