// Spot, strike and years of an option lie together: a warp reads one word of three.
// twin: portfolio_soa_all.cu, emitted with it by pricing_kernels
// launch: --grid 4 --block 256 --arg count=1000 --arg rate=0.03 --arg volatility=0.3 --buffer 'values=4*(count)' --buffer 'options=4*(3*count)' --buffer 'flags=4*(1)' --assume 'nctaid.x*ntid.x >= count'
// params: values,options,flags,count,rate,volatility
namespace soa {
__device__ float field(const float* records, unsigned number, unsigned element, unsigned count)
{
    return records[3 * element + number];  // expect: uncoalesced-access
}
}

namespace no_flags {
__device__ bool there(const unsigned* flags, unsigned element) { return true; }
}

namespace portfolio {
namespace L = soa;
namespace F = no_flags;
extern "C" __global__ void __launch_bounds__(256) portfolio_of_structures(float* values, const float* options, const unsigned* flags, unsigned count, float rate, float volatility)
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
