// Exercise where it pays more than the regression.
namespace lsmc_decide {
enum : unsigned { FEATURES = 2u };
extern "C" __global__ void __launch_bounds__(256) lsmc_decide_2(float* values, const float* features, unsigned paths, unsigned long long stride, float strike, float discount, float c00, float c01, float c02, float c03, float c10, float c11, float c12, float c20, float c21, float c30)
#line 240 "lsmc.py"
{
    unsigned path = blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= paths)
        return;
    float gain = features[path], other = features[path + (FEATURES - 1) * stride];
    float x = gain / strike, y = other / strike - 1.0f;
    float continuing = c00 + y * (c01 + y * (c02 + y * c03))
        + x * (c10 + y * (c11 + y * c12) + x * (c20 + y * c21 + x * c30));
    float value = values[path] * discount;
    if (gain > 0.0f && gain >= continuing)
        value = gain;
    values[path] = value;
}
}
