// Each block's lanes add up a row from the block's start to the end, by a loop that nvcc unrolls by four behind its remainder.
// launch: --grid 3 --block 32 --arg n=300 --arg apart=50 --buffer x=4*300 --buffer y=4*32
// params: n,apart,x,y
// expect-none: uncoalesced
extern "C" __global__ void row_by_lanes_from_a_start(int n, int apart, const float *x, float *y)
{
    float sum = 0;
    for (int i = apart * blockIdx.x + threadIdx.x; i < n; i += 32)
        sum += x[i];
    atomicAdd(&y[threadIdx.x], sum);
}
// contract: requires n <= 2**31 - 128
// contract: x = 4*n@4
// contract: y = 4*ntid.x@4
