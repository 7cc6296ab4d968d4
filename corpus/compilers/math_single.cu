// Single-precision functions whose expansions branch: sin, exp, pow, log, erf, cbrt.
// launch: --grid 2 --block 64 --arg n=100 --buffer x=4*n --buffer y=4*n
// params: n,x,y
// expect-none
extern "C" __global__ void math_single(int n, const float* x, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = expf(x[i]) + powf(x[i], 1.5f) + logf(x[i] + 2.0f) + erff(x[i]) + cbrtf(x[i])
             + tanhf(x[i]) + atan2f(x[i], 2.0f) + fmodf(x[i], 0.3f);
}
