// A scan of the sums of warps by the lanes of the first one: the lane is a signed remainder by a
// size of a warp that is no number in PTX, and its guard compares it as an unsigned integer.
// launch: --grid 4 --block 128 --shared 16 --buffer x=2048
// params: x
// expect-none
extern "C" __global__ void scan_of_warp_sums(int *x)
{
    extern __shared__ int sums[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = i % warpSize, warp = threadIdx.x / warpSize;
    int value = __reduce_add_sync(0xffffffffu, x[i]);
    if (threadIdx.x % warpSize == warpSize - 1)
        sums[warp] = value;
    __syncthreads();
    if (warp == 0 && lane < blockDim.x / warpSize) {
        int mask = (1 << (blockDim.x / warpSize)) - 1;
        int sum = sums[lane];
        for (int d = 1; d <= blockDim.x / warpSize; d *= 2) {
            int below = __shfl_up_sync(mask, sum, d, blockDim.x / warpSize);
            if (lane >= d)
                sum += below;
        }
        sums[lane] = sum;
    }
    __syncthreads();
    if (warp > 0)
        value += sums[warp - 1];
    x[i] = value;
}
// contract: shared = 4*(ntid.x//32)
