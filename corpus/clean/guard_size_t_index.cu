// A size_t index and length: the whole product is computed in 64 bits.
// launch: --grid 3 --block 64 --arg n=150 --buffer x=8*n --buffer y=8*n
// params: n,x,y
// expect-none
extern "C" __global__ void guard_size_t_index(size_t n, const double* x, double* y)
{
    size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
    if (i < n)
        y[i] = 2.0 * x[i];
}
