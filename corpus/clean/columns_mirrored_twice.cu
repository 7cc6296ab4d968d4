// Sums over three neighbours on each side in a row, which is mirrored at both ends, the end elements twice.
// launch: --grid 2 --block 32 --arg n=50 --buffer x=200 --buffer y=200
// params: x,y,n
// expect-none
__device__ __forceinline__ int mirrored(int i, int n)
{
    if (i < 0) i = -i - 1;
    if (i >= n) i = 2 * n - 1 - i;
    return i;
}

extern "C" __global__ void columns_mirrored_twice(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = -3; k <= 3; ++k) sum += x[mirrored(i + k, n)];
    y[i] = sum;
}
// contract: requires n >= 3
// contract: x = 4*n@4
// contract: y = 4*n@4
