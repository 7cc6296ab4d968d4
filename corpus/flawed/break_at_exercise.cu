// Lanes leave the loop over dates at the exercise; their warp waits for the last one.
// twin: pso_lockstep.cu, emitted with it by pricing_kernels
// launch: --grid 2 --block 32 --arg paths=64 --arg particles=64 --arg rows=16 --buffer 'fitness=8*(particles)' --buffer 'gains=4*(rows*paths)' --buffer 'thresholds=4*(rows*particles)' --assume 'particles % 32 == 0' --assume 'nctaid.x*ntid.x >= particles' --assume '32*nctaid.x < particles + 32'
// params: fitness,gains,thresholds,paths,particles,rows
// expect-none
namespace paths {
enum : unsigned { GROUP = 1u };
enum : unsigned { FORWARD = 1u };  // todo: a trip count that depends on loaded values is not analysed
// The gains of neighbouring paths at one date.
struct alignas(4 * GROUP) Gains {
    float of[GROUP];
};

// What a group of paths pays in all; `threshold` gives that of a row.
template <class Threshold>
__device__ __forceinline__ unsigned long long paid(const float* gains, unsigned paths,
                                                   unsigned path, unsigned rows,
                                                   Threshold threshold)
{
    Gains pays = {};
    if (FORWARD) {
#pragma unroll 1
        for (unsigned row = 0; row < rows; row++) {
            float gain = gains[row * paths + path];
            if (gain >= threshold(row)) {
                pays.of[0] = gain;
                break;
            }
        }
    } else {
#pragma unroll 1
        for (unsigned row = rows; row-- > 0;) {
            float least = threshold(row);
            Gains gain = *reinterpret_cast<const Gains*>(gains + row * paths + path);
#pragma unroll
            for (unsigned k = 0; k < GROUP; k++)
                pays.of[k] = gain.of[k] >= least ? gain.of[k] : pays.of[k];
        }
    }
    unsigned long long sum = 0;
#pragma unroll
    for (unsigned k = 0; k < GROUP; k++)
        sum += __float2uint_rn(pays.of[k]);
    return sum;
}
}

namespace lockstep {
namespace F = paths;
extern "C" __global__ void __launch_bounds__(32) break_at_exercise(unsigned long long* fitness, const float* gains, const float* thresholds, unsigned paths, unsigned particles, unsigned rows)
{
    unsigned particle = blockIdx.x * blockDim.x + threadIdx.x;
    auto threshold = [=](unsigned row) { return thresholds[row * particles + particle]; };
    unsigned long long sum = 0;
    for (unsigned path = 0; path < paths; path += F::GROUP)
        sum += F::paid(gains, paths, path, rows, threshold);
    fitness[particle] = sum;
}
}
