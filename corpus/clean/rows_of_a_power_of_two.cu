// Turns each row of 2**bits elements around: row and column by shift and mask.
// launch: --grid 6 --block 64 --arg bits=5 --arg rows=11 --buffer a=1408 --buffer out=1408
// params: a,out,bits,rows
// expect-none
extern "C" __global__ void rows_of_a_power_of_two(const float* a, float* out, int bits, int rows)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows << bits) return;
    int column = i & ((1 << bits) - 1), row = i >> bits;
    out[(row << bits) + ((1 << bits) - 1 - column)] = a[i];
}
// contract: requires 2**bits*rows <= 2**31 - 1
// contract: a = 4*2**bits*rows@4
// contract: out = 4*2**bits*rows@4
