// A count that the first thread clears and adds to, and the first ones of other warps add to: no
// barrier orders its store before their atomics.
// launch: --grid 2 --block 128 --buffer in=4*256 --buffer out=4*2
// params: in,out
extern "C" __global__ void count_cleared_by_one_adder(const int* in, int* out)
{
    __shared__ int count;
    int own = __reduce_add_sync(0xffffffffu, in[blockIdx.x * blockDim.x + threadIdx.x]);
    if (threadIdx.x == 0) {
        count = 0;  // expect: data-race
        atomicAdd(&count, own);
    } else if (threadIdx.x % 32 == 0) {
        atomicAdd(&count, own);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = count;
}
