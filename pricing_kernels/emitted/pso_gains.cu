// Discounted gains of one option, by date and path.
namespace gains {
extern "C" __global__ void __launch_bounds__(64) pso_gains(float* values, const float* factors, unsigned paths, unsigned rows, float strike)
#line 145 "kernels.py"
{
    unsigned path = blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= paths)
        return;
#pragma unroll 1
    for (unsigned row = 0; row < rows; row++)
        values[row * paths + path] = factors[row] * (values[row * paths + path] - strike);
}
}
