// Take or wait, for 128 cells.
namespace swing {
enum : unsigned { POINTS = 128u };
extern "C" __global__ void __launch_bounds__(128) quantization_swing_128(float* values, const float* move, const float* next, const float* pay, unsigned taken)
#line 27 "swing.py"
{
    for (unsigned number = blockIdx.x; number < taken; number += gridDim.x)
        for (unsigned cell = threadIdx.x; cell < POINTS; cell += blockDim.x) {
            const float* keep = next + number * POINTS;
            float wait = 0.0f, take = 0.0f;
            for (unsigned to = 0; to < POINTS; to++) {
                float p = move[to * POINTS + cell];
                wait += p * keep[to];
                take += p * keep[to + POINTS];
            }
            values[number * POINTS + cell] = fmaxf(wait, take + pay[cell]);
        }
}
}
