// The sums of a regression at one date.
namespace lsmc_moments {
enum : unsigned { SEGMENT = 256u };
enum : unsigned { TERMS = 8u };
extern "C" __global__ void __launch_bounds__(256) lsmc_moments(double* sums, const float* prices, const float* values, unsigned segments, unsigned paths, float strike, float sign, float discount)
#line 191 "lsmc.py"
{
    __shared__ double part[TERMS][SEGMENT + 1];  // the last reads run down a column
    for (unsigned segment = blockIdx.x; segment < segments; segment += gridDim.x) {
        for (unsigned slot = threadIdx.x; slot < SEGMENT; slot += blockDim.x) {
            unsigned path = segment * SEGMENT + slot;
            double n = 0.0, x = 0.0, y = 0.0;
            if (path < paths) {
                float price = prices[path], value = values[path] * discount;
                bool pays = sign * (price - strike) > 0.0f;
                n = pays ? 1.0 : 0.0;
                x = pays ? price / strike : 0.0f;
                y = pays ? value : 0.0f;
            }
            part[0][slot] = n;
            part[1][slot] = x;
            part[2][slot] = x * x;
            part[3][slot] = x * x * x;
            part[4][slot] = x * x * x * x;
            part[5][slot] = y;
            part[6][slot] = x * y;
            part[7][slot] = x * x * y;
        }
        __syncthreads();
        for (unsigned half = SEGMENT / 2; half > 0; half /= 2) {
            for (unsigned slot = threadIdx.x; slot < half; slot += blockDim.x)
                for (unsigned k = 0; k < TERMS; k++)
                    part[k][slot] += part[k][slot + half];
            __syncthreads();
        }
        for (unsigned k = threadIdx.x; k < TERMS; k += blockDim.x)
            sums[segment * TERMS + k] = part[k][0];
        __syncthreads();
    }
}
}
