// The greatest of the sums of all warps, as many as the block has, behind n other words of dynamic shared memory.
// launch: --grid 2 --block 96 --arg n=0..30 --buffer x=4*192 --buffer y=8 --shared 4*n+12
// params: x,y,n
// expect-none
extern "C" __global__ void greatest_of_the_warps(const float* x, float* y, int n)
{
    extern __shared__ float s[];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    float v = x[blockIdx.x * blockDim.x + threadIdx.x];
    for (int d = 16; d; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    if (lane == 0)
        s[n + warp] = v;
    __syncthreads();
    float most = s[n];
    for (int w = 1; w < warps; w++)
        most = fmaxf(most, s[n + w]);
    if (threadIdx.x == 0)
        y[blockIdx.x] = most;
}
// contract: shared = 4*((ntid.x + 31)//32) + 4*n
