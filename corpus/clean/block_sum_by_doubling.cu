// A tree of sums: the distance to the neighbour doubles up to the block, and no guard but a remainder keeps a thread from what lies behind it.
// launch: --grid 4 --block 64 --shared 256 --arg n=200 --buffer x=4*n --buffer sum=16
// params: x,sum,n
// expect-none
extern "C" __global__ void block_sum_by_doubling(const int* x, int* sum, unsigned n)
{
    extern __shared__ int part[];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    for (unsigned far = 1; far < blockDim.x; far *= 2) {
        if (threadIdx.x % (2 * far) == 0)
            part[threadIdx.x] += part[threadIdx.x + far];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sum[blockIdx.x] = part[0];
}
// contract: requires 1024 % ntid.x == 0
// contract: x = 4*n@4
// contract: shared = 4*ntid.x
