// Double-precision functions: exp, log, pow, sqrt, division, rounding.
// launch: --grid 2 --block 64 --arg n=100 --buffer x=8*n --buffer y=8*n
// params: n,x,y
// expect-none
extern "C" __global__ void math_double(int n, const double* x, double* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = exp(x[i]) + log(x[i] + 3.0) + pow(x[i] + 1.0, 0.7) / (sqrt(x[i] + 1.0) + 1.0)
             + floor(x[i]) - ceil(x[i] * 0.5) + rint(x[i]) + trunc(x[i]);
}
