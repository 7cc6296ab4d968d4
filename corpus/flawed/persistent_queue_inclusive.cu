// Blocks take pieces of work from a counter, and one piece more than there is.
// launch: --grid 2 --block 64 --arg pieces=5 --buffer next=4 --buffer x=4*64*pieces
// params: pieces,next,x
// input: next=zeros
extern "C" __global__ void persistent_queue_inclusive(unsigned pieces, unsigned* next, int* x)
{
    __shared__ unsigned mine;
    for (;;) {
        if (threadIdx.x == 0)
            mine = atomicAdd(next, 1u);
        __syncthreads();
        unsigned piece = mine;
        __syncthreads();
        if (piece > pieces)
            return;
        x[64 * piece + threadIdx.x] += 1;  // expect: out-of-bounds
    }
}
