// Take or wait, for 64 cells.
namespace swing {
enum : unsigned { POINTS = 64u };
extern "C" __global__ void __launch_bounds__(256) quantization_swing_64(float* values, const float* move, const float* next, const float* pay, unsigned taken)
#line 345 "quantization.py"
{
    unsigned state = blockIdx.x * blockDim.x + threadIdx.x;
    if (state >= taken * POINTS)
        return;
    unsigned cell = state % POINTS;
    const float* keep = next + (state - cell);
    float wait = 0.0f, take = 0.0f;
    for (unsigned to = 0; to < POINTS; to++) {
        float p = move[to * POINTS + cell];
        wait += p * keep[to];
        take += p * keep[to + POINTS];
    }
    values[state] = fmaxf(wait, take + pay[cell]);
}
}
