// Sums over a block of what rows in shared memory hold; the sums of its warps lie behind the rows.
// launch: --grid 2 --block 64 --shared 408 --arg rows=4 --arg width=25 --buffer x=800 --buffer y=8
// params: x,y,rows,width
// expect-none
extern "C" __global__ void sums_of_warps_behind_rows(const float* x, float* y, int rows, int width)
{
    extern __shared__ float held[];
    float* sums = held + rows * width;
    float own = 0;
    for (int i = threadIdx.x; i < rows * width; i += blockDim.x) {
        held[i] = x[(size_t)blockIdx.x * rows * width + i];
        own += held[i];
    }
    for (int apart = 16; apart > 0; apart >>= 1) own += __shfl_xor_sync(0xffffffffu, own, apart);
    if ((threadIdx.x & 31) == 0) sums[threadIdx.x >> 5] = own;
    __syncthreads();
    float all = 0;
    for (int i = 0; i < (blockDim.x + 31) / 32; ++i) all += sums[i];
    if (threadIdx.x == 0) y[blockIdx.x] = all;
}
// contract: requires rows >= 0
// contract: x = 4*nctaid.x*rows*width@4
// contract: y = 4*nctaid.x@4
