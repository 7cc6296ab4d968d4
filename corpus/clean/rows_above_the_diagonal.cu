// What is above the diagonal, copied to where it is packed by rows: a block takes a row.
// launch: --grid 39 --block 64 --arg n=40 --buffer a=4*n*n --buffer packed=4*(n*(n-1)//2)
// params: a,packed,n
// expect-none
extern "C" __global__ void rows_above_the_diagonal(const float* a, float* packed, unsigned n)
{
    unsigned i = blockIdx.x;
    if (i >= n)
        return;
    for (unsigned j = i + 1 + threadIdx.x; j < n; j += blockDim.x)
        packed[i * (2 * n - i - 1) / 2 + j - i - 1] = a[i * n + j];
}
// contract: requires n*n <= n + 2**32 - 1
// contract: a = 4*n*n - 4*n@4
// contract: packed = 4*((n*n - n)//2)@4
