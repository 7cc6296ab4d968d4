// The last warp reads a word of the first one when a flag in global memory is set: a fence of the
// block's scope orders the two.
// launch: --grid 1 --block 64 --buffer in=4*64 --buffer out=4 --buffer flag=4 --values flag=0..0
// params: in,out,flag
// input: flag=zeros:i4
// expect-none
extern "C" __global__ void flag_between_warps(const int* in, int* out, int* flag)
{
    __shared__ int first;
    int own = __reduce_add_sync(0xffffffffu, in[threadIdx.x]);
    if (threadIdx.x == 0) {
        first = own;
        __threadfence_block();
        atomicExch(flag, 1);
    }
    if (threadIdx.x == 32) {
        while (atomicAdd(flag, 0) == 0) {
        }
        __threadfence_block();
        out[0] = own - first;
    }
}
