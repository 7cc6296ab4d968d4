// Differences of neighbours, but the first element's neighbour does not wrap to the end.
// launch: --grid 3 --block 64 --arg n=130 --buffer x=8*n --buffer y=8*n
// params: n,x,y
extern "C" __global__ void numba_wraparound_forgotten(long long n, const double* x, double* y)
{
    long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    if (i < n)
        y[i] = x[i] - x[i - 1];  // expect: out-of-bounds
}
