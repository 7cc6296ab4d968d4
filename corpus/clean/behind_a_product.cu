// The second half of the threads writes what lies behind a first part, whose size is a product.
// launch: --grid 2 --block 32 --arg columns=10 --arg own=8 --arg n=120 --buffer y=160
// params: y,columns,own,n
// expect-none
extern "C" __global__ void behind_a_product(float* y, long long columns, long long own, long long n)
{
    long long i = (long long)gridDim.x * blockDim.x + (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i >= columns * own)
        y[i - columns * own] = 1.0f;
}
// contract: requires columns*own <= 2**63 - 1
// contract: y = 4*n - 4*columns*own@4
