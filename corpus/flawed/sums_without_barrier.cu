// A round of the tree reads sums that the round before may not have written.
// twin: european.cu, emitted with it by pricing_kernels
// launch: --grid 1 --block 256 --arg segments=2 --arg paths=500 --arg steps=1 --arg spot=100.0 --arg strike=100.0 --arg rate=0.03 --arg volatility=0.3 --arg maturity=1.0 --arg seed=0 --arg is_call=0 --buffer 'sums=8*(segments)' --buffer 'squares=8*(segments)' --assume 'segments == (paths + 255)//256'
// params: sums,squares,segments,paths,steps,spot,strike,rate,volatility,maturity,seed,is_call
namespace philox4x32 {
enum : unsigned { ROUNDS = 10u };
enum : unsigned { M0 = 3528531795u };
enum : unsigned { M1 = 3449720151u };
enum : unsigned { W0 = 2654435769u };
enum : unsigned { W1 = 3144134277u };
// The four words of a counter under a key.
__device__ __forceinline__ uint4 philox(uint4 c, uint2 key)
{
    for (int i = 0; i < ROUNDS; i++) {
        unsigned hi0 = __umulhi(M0, c.x), lo0 = M0 * c.x;
        unsigned hi1 = __umulhi(M1, c.z), lo1 = M1 * c.z;
        c = make_uint4(hi1 ^ c.y ^ key.x, lo1, hi0 ^ c.w ^ key.y, lo0);
        key.x += W0;
        key.y += W1;
    }
    return c;
}
}

namespace box_muller {
__device__ __forceinline__ float radius(unsigned word)
{
    float u = fmaf(word, 0x1p-32f, 0x1p-33f);
    return sqrtf(fmaxf(-2.0f * __logf(u), 0.0f));
}

__device__ __forceinline__ float angle(unsigned word)
{
    return static_cast<int>(word) * 0x1.921fb6p-30f;  // 2 pi / 2^32
}

// Two standard normal numbers from two uniform words.
__device__ __forceinline__ float2 normals(unsigned a, unsigned b)
{
    float r = radius(a), phi = angle(b);
    return make_float2(r * __cosf(phi), r * __sinf(phi));
}
}

namespace gbm {
// Exact step of the logarithm of a geometric Brownian motion: x + drift + diffusion * z.
struct LogStep { float drift, diffusion; };
__device__ __forceinline__ LogStep log_step(float rate, float volatility, float years)
{
    return {(rate - 0.5f * volatility * volatility) * years, volatility * sqrtf(years)};
}
__device__ __forceinline__ float advance(LogStep s, float x, float z)
{
    return x + fmaf(s.diffusion, z, s.drift);
}
}

namespace european_sums {
namespace P = philox4x32;
namespace N = box_muller;
namespace S = gbm;
enum : unsigned { SEGMENT = 256u };
extern "C" __global__ void __launch_bounds__(256) sums_without_barrier(double* sums, double* squares, unsigned segments, unsigned paths, unsigned steps, float spot, float strike, float rate, float volatility, float maturity, unsigned long long seed, int is_call)
{
    __shared__ double sum[SEGMENT], square[SEGMENT];
    S::LogStep law = S::log_step(rate, volatility, maturity / steps);
    float discount = __expf(-rate * maturity);
    float sign = is_call ? 1.0f : -1.0f;
    uint2 key = make_uint2(seed, seed >> 32);
    for (unsigned segment = blockIdx.x; segment < segments; segment += gridDim.x) {
        for (unsigned slot = threadIdx.x; slot < SEGMENT; slot += blockDim.x) {
            unsigned path = segment * SEGMENT + slot;
            float x = 0.0f;
            for (unsigned step = 0; step < steps; step += 4) {
                uint4 r = P::philox(make_uint4(path, step / 4, 0, 0), key);
                float2 z = N::normals(r.x, r.y);
                x = S::advance(law, x, z.x);
                if (step + 1 < steps)
                    x = S::advance(law, x, z.y);
                z = N::normals(r.z, r.w);
                if (step + 2 < steps)
                    x = S::advance(law, x, z.x);
                if (step + 3 < steps)
                    x = S::advance(law, x, z.y);
            }
            float gain = fmaxf(sign * (spot * __expf(x) - strike), 0.0f);
            double payoff = path < paths ? discount * gain : 0.0f;
            sum[slot] = payoff;
            square[slot] = payoff * payoff;
        }
        __syncthreads();
        for (unsigned half = SEGMENT / 2; half > 0; half /= 2) {
            for (unsigned slot = threadIdx.x; slot < half; slot += blockDim.x) {
                sum[slot] += sum[slot + half];  // expect: data-race
                square[slot] += square[slot + half];  // expect: data-race
            }
        }
        if (threadIdx.x == 0) {
            sums[segment] = sum[0];
            squares[segment] = square[0];
        }
        __syncthreads();
    }
}
}
