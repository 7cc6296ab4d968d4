// Groups of a row have a scale each; a warp sums the scales of all blocks of 32 columns of its row.
// launch: --grid 3 --block 32x4 --arg rows=10 --arg columns=256 --arg group=64 --buffer scale=160 --buffer y=40
// params: scale,y,rows,columns,group
// expect-none
extern "C" __global__ void scales_of_groups(const float* scale, float* y, int rows, int columns, int group)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const int groups = columns / group;
    float sum = 0;
#pragma unroll 1
    for (int block = threadIdx.x; block < columns / 32; block += 32) sum += scale[row * groups + block * 32 / group];
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (threadIdx.x == 0) y[row] = sum;
}
// contract: requires group >= 1
// contract: scale = 4*(columns//group)*rows + 4*((columns - 32)//group) - 4*(columns//group) + 4@4
