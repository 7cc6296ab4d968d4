// What is not below the diagonal, packed by rows, copied to a matrix.
// launch: --grid 3x5 --block 32x8 --arg n=40 --buffer packed=4*(n*(n+1)//2) --buffer a=4*n*n
// params: packed,a,n
// expect-none
extern "C" __global__ void triangle_unpacked_in_64_bits(const float* packed, float* a, long long n)
{
    long long j = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    long long i = blockIdx.y * (long long)blockDim.y + threadIdx.y;
    if (i <= j && j < n)
        a[i * n + j] = packed[i * (2 * n - i + 1) / 2 + (j - i)];
}
