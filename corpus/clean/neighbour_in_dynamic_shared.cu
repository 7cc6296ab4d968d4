// The next thread's element by dynamic shared memory, in the threads that a guard leaves: it holds
// a block, however many elements there are.
// launch: --grid 2 --block 64 --shared 256 --arg n=128 --buffer x=512 --buffer y=512
// params: n,x,y
// expect-none
extern "C" __global__ void neighbour_in_dynamic_shared(unsigned n, const float *x, float *y)
{
    extern __shared__ float s[];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    s[threadIdx.x] = x[i];
    __syncthreads();
    y[i] = threadIdx.x > 0 ? s[threadIdx.x - 1] : 0.0f;
}
// contract: shared = 4*ntid.x
