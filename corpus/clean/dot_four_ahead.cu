// Dot products by threads: size_t indices, four elements of a grid-stride loop ahead.
// launch: --grid 2 --block 32 --arg n=1..700 --buffer x=8*n --buffer y=8*n --buffer sum=8*ntid.x*nctaid.x
// params: x,y,sum,n
// expect-none
extern "C" __global__ void dot_four_ahead(const double* x, const double* y, double* sum, size_t n)
{
    size_t stride = (size_t)gridDim.x * blockDim.x,
        i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    double a = 0, b = 0, c = 0, d = 0;
    for (; i + 3 * stride < n; i += 4 * stride) {
        a += x[i] * y[i]; b += x[i + stride] * y[i + stride];
        c += x[i + 2 * stride] * y[i + 2 * stride]; d += x[i + 3 * stride] * y[i + 3 * stride];
    }
    for (; i < n; i += stride) a += x[i] * y[i];
    sum[blockIdx.x * (size_t)blockDim.x + threadIdx.x] = a + b + c + d;
}
