// A column of factors below the pivot of a step: the limit of the unsigned guard may be negative.
// launch: --grid 2 --block 32 --arg side=40 --arg step=3 --buffer x=4*side*side --buffer factor=4*side*side
// params: x,factor,side,step
extern "C" __global__ void rows_below_a_pivot(const float* x, float* factor, int side, int step)
{
    if (blockIdx.x * blockDim.x + threadIdx.x >= side - step - 1) return;
    int row = blockIdx.x * blockDim.x + threadIdx.x + step + 1;
    factor[side * row + step] = x[side * row + step] / x[side * step + step];  // expect: uncoalesced-access
}
// contract: requires step + 1 <= side
// contract: factor = 4*side*side + 4*step - 4*side + 4@4
