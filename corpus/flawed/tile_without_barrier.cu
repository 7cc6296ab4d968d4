// Warps read thresholds that another warp may not have put into the tile yet.
// twin: pso_tiled.cu, emitted with it by pricing_kernels
// launch: --grid 2 --block 32x8 --arg paths=64 --arg particles=64 --arg rows=16 --buffer 'fitness=8*(particles)' --buffer 'gains=4*(rows*paths)' --buffer 'thresholds=4*(rows*particles)' --assume 'paths % 4 == 0' --assume 'particles % 32 == 0' --assume 'nctaid.x*ntid.x >= particles' --assume '32*nctaid.x < particles + 32'
// params: fitness,gains,thresholds,paths,particles,rows
namespace paths {
enum : unsigned { GROUP = 4u };
enum : unsigned { FORWARD = 0u };
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

namespace tiled {
namespace F = paths;
enum : unsigned { WARP = 32u };
enum : unsigned { WARPS = 8u };
enum : unsigned { MAX_ROWS = 256u };
extern "C" __global__ void __launch_bounds__(256) tile_without_barrier(unsigned long long* fitness, const float* gains, const float* thresholds, unsigned paths, unsigned particles, unsigned rows)
{
    __shared__ float tile[MAX_ROWS][WARP];  // the thresholds of a warp of particles
    unsigned lane = threadIdx.x, particle = blockIdx.x * WARP + lane;
#pragma unroll
    for (unsigned k = 0; k < MAX_ROWS; k += WARPS) {
        unsigned row = k + threadIdx.y;
        tile[row][lane] = row < rows ? thresholds[row * particles + particle] : 0.0f;
    }
    auto threshold = [&](unsigned row) { return tile[row][lane]; };  // expect: data-race
    unsigned long long sum = 0;
    unsigned first = (blockIdx.y * WARPS + threadIdx.y) * F::GROUP;
    for (unsigned path = first; path < paths; path += gridDim.y * WARPS * F::GROUP)
        sum += F::paid(gains, paths, path, rows, threshold);
    atomicAdd(fitness + particle, sum);
}
}
