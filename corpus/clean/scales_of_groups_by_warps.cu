// Warps take the groups of 32 elements of all rows in turns; the last group of a row may have fewer.
// launch: --grid 2 --block 64 --arg pitch=80 --arg rows=5 --arg cols=70 --buffer x=1560 --buffer scale=60
// params: x,pitch,scale,rows,cols
// expect-none
extern "C" __global__ void scales_of_groups_by_warps(const float* x, long long pitch, float* scale, int rows, int cols)
{
    int lane = threadIdx.x & 31, groups = (cols + 31) >> 5, all = rows * groups;
    int warps = (gridDim.x * blockDim.x) >> 5;
    for (int g = (blockIdx.x * blockDim.x + threadIdx.x) >> 5; g < all; g += warps) {
        int row = g / groups, col = (g - row * groups) * 32 + lane;
        float most = col < cols ? fabsf(x[row * pitch + col]) : 0;
        for (int o = 16; o; o >>= 1) most = fmaxf(most, __shfl_xor_sync(~0u, most, o));
        if (lane == 0) scale[g] = most;
    }
}
// contract: requires cols <= 2**31 - 32
// contract: scale = 4*((cols + 31)//32)*rows@4
