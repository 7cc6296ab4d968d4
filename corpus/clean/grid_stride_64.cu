// A stride over the grid that counts in 64 bits.
// launch: --grid 2 --block 32 --arg n=200 --buffer x=8*n
// params: n,x
// expect-none
extern "C" __global__ void grid_stride_64(long long n, long long* x)
{
    long long step = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < n; i += step)
        x[i] += 7;
}
