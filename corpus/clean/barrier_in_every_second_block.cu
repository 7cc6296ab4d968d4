// A barrier inside a branch on the block index: the whole block takes it, or none of it.
// launch: --grid 4 --block 64 --buffer y=4*256
// params: y
// expect-none
extern "C" __global__ void barrier_in_every_second_block(int* y)
{
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    s[t] = t;
    if (blockIdx.x % 2 == 0) {
        __syncthreads();
        y[i] = s[t ^ 1];
    }
}
