// One pass of a Walsh transform without a guard: a thread adds and subtracts two numbers at a distance that is a power of two.
// launch: --grid 4 --block 64 --arg apart=32 --buffer x=2048
// params: x,apart
// expect-none
extern "C" __global__ void pairs_at_a_distance(float* x, int apart)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int within = i & (apart - 1), at = 2 * (i - within) + within;
    float one = x[at], other = x[at + apart];
    x[at] = one + other;
    x[at + apart] = one - other;
}
// contract: requires 2**31 % apart == 0
// contract: x = 8*((nctaid.x*ntid.x - 1)//apart)*apart + 8*apart@4
