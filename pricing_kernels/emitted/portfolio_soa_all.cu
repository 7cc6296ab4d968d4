// Calls by the formula: soa, flags: all.
namespace soa {
#line 32 "layouts.py"
__device__ float field(const float* records, unsigned number, unsigned element, unsigned count)
{
    return records[number * count + element];
}
}

namespace no_flags {
#line 39 "layouts.py"
__device__ bool there(const unsigned* flags, unsigned element) { return true; }
}

namespace portfolio {
namespace L = soa;
namespace F = no_flags;
extern "C" __global__ void __launch_bounds__(256) portfolio_soa_all(float* values, const float* options, const unsigned* flags, unsigned count, float rate, float volatility)
#line 22 "portfolio.py"
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count || !F::there(flags, i))
        return;
    float spot = L::field(options, 0, i, count), strike = L::field(options, 1, i, count);
    float years = L::field(options, 2, i, count), deviation = volatility * sqrtf(years);
    float far = (__logf(spot / strike) + rate * years) / deviation + 0.5f * deviation;
    float owned = 0.5f * erfcf(-0.70710678f * far);
    float exercised = 0.5f * erfcf(-0.70710678f * (far - deviation));
    values[i] = spot * owned - strike * __expf(-rate * years) * exercised;
}
}
