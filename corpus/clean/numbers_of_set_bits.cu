// Sums of table entries by the numbers of the bits that are set in a word, the lowest first.
// launch: --grid 2 --block 64 --arg n=100 --arg first=1000 --buffer table=128 --buffer y=4*n
// params: table,y,n,first
// expect-none
extern "C" __global__ void numbers_of_set_bits(const unsigned* table, unsigned* y, unsigned n, unsigned first)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned sum = 0;
    for (unsigned bits = first + i; bits; bits &= bits - 1)
        sum ^= table[__ffs(bits) - 1];
    y[i] = sum;
}
