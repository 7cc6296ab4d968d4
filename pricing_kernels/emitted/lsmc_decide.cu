// Exercise where it pays more than the regression.
namespace lsmc_decide {
extern "C" __global__ void __launch_bounds__(256) lsmc_decide(float* values, const float* prices, unsigned paths, float strike, float sign, float discount, float constant, float linear, float square)
#line 228 "lsmc.py"
{
    unsigned path = blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= paths)
        return;
    float x = prices[path] / strike, gain = sign * (prices[path] - strike);
    float value = values[path] * discount;
    if (gain > 0.0f && gain >= constant + x * (linear + x * square))
        value = gain;
    values[path] = value;
}
}
