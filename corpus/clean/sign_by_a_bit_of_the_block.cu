// The sign of an index is a bit of the number of the block, which is 0 where the index does not wrap.
// launch: --grid 25 --block 128 --buffer table=12800 --buffer y=12800
// params: table,y
// expect-none
extern "C" __global__ void sign_by_a_bit_of_the_block(const float *table, float *y)
{
    int thread = threadIdx.x & 127, i = blockIdx.x << 7 | thread;
    if (i >= 3200) return;
    int sign;
    asm("bfe.s32 %0, %1, 24, 1;" : "=r"(sign) : "r"(blockIdx.x));
    int row = (i + ((unsigned)sign >> 26)) >> 6;
    y[i] = table[i - 64 * row];
}
// contract: requires nctaid.x <= 2**24
// contract: table = 256@4
// contract: y = 12800@4
