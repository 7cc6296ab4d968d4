// Prefix sums of a block: lanes by shuffle, then one warp scans the totals of all.
// launch: --grid 2 --block 128 --buffer x=4*256 --buffer y=4*256
// params: x,y
// expect-none
extern "C" __global__ void scan_of_warps(const int* x, int* y)
{
    __shared__ int totals[32];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5, i = blockIdx.x * blockDim.x + t;
    int sum = x[i];
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_up_sync(0xffffffffu, sum, d);
        sum += lane >= d ? other : 0;
    }
    if (lane == 31)
        totals[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        int total = lane < blockDim.x / 32 ? totals[lane] : 0;
        for (int d = 1; d < 32; d *= 2) {
            int other = __shfl_up_sync(0xffffffffu, total, d);
            total += lane >= d ? other : 0;
        }
        totals[lane] = total;
    }
    __syncthreads();
    y[i] = sum + (warp > 0 ? totals[warp - 1] : 0);
}
