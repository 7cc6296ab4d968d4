// Sums over the window that ends at each element of a long array, which is shorter at its start.
// launch: --grid 5 --block 64 --arg n=1000 --arg width=24 --buffer x=8000 --buffer y=8000
// params: x,y,n,width
// expect-none
extern "C" __global__ void windows_before_each_element(const double* x, double* y, long long n, int width)
{
    long long stride = (long long)blockDim.x * gridDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        long long begin = i - width + 1 > 0 ? i - width + 1 : 0;
        double sum = 0;
#pragma unroll 2
        for (long long j = begin; j <= i; ++j) sum += x[j];
        y[i] = sum;
    }
}
// contract: x = 8*n@8
// contract: y = 8*n@8
