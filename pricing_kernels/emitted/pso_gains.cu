// What exercise adds, by date and path.
namespace gains {
extern "C" __global__ void __launch_bounds__(256) pso_gains(float* values, const float* laws, unsigned paths, unsigned rows, float strike, float sign, float unit)
#line 145 "kernels.py"
{
    unsigned path = blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= paths)
        return;
#pragma unroll 1
    for (unsigned row = 0; row < rows; row++) {
        // discount; logarithm of growth, deviation and discount to the last date
        float4 law = reinterpret_cast<const float4*>(laws)[row];
        float spot = values[row * paths + path] / strike;
        float d = (__logf(spot) + law.y) / law.z + 0.5f * law.z;
        float forward = spot * __expf(law.y) * normcdff(sign * d);
        float european = law.w * sign * (forward - normcdff(sign * (d - law.z)));
        values[row * paths + path] = unit * law.x * (sign * (spot - 1.0f) - european);
    }
}
}
