// A fence between two stores that another block reads.
// launch: --grid 2 --block 32 --buffer data=4*64 --buffer flag=8
// params: data,flag
// expect-none
extern "C" __global__ void volatile_flags(int* data, volatile int* flag)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = i;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        flag[blockIdx.x] = 1;
}
