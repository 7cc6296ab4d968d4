// An elementwise kernel as CuPy writes it: a loop over the grid with a ptrdiff_t index.
// launch: --grid 2 --block 64 --arg n=300 --buffer x=4*n --buffer y=4*n --buffer z=4*n
// params: x,y,z,n
// expect-none
extern "C" __global__ void cupy_elementwise(const float* __restrict__ x, const float* __restrict__ y,
                                            float* __restrict__ z, ptrdiff_t n)
{
    for (ptrdiff_t i = static_cast<ptrdiff_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += static_cast<ptrdiff_t>(blockDim.x) * gridDim.x) {
        float difference = x[i] - y[i];
        z[i] = difference * difference;
    }
}
