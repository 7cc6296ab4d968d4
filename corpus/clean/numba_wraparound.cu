// A negative index counts from the end: `i < 0 ? i + n : i`, as in Python.
// launch: --grid 3 --block 64 --arg n=1..130 --buffer x=8*n --buffer y=8*n
// params: n,x,y
// expect-none
__device__ long long wrapped(long long i, long long n) { return i < 0 ? i + n : i; }
extern "C" __global__ void numba_wraparound(long long n, const double* x, double* y)
{
    long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    if (i < n)
        y[wrapped(i, n)] = x[wrapped(i, n)] - x[wrapped(i - 1, n)];
}
