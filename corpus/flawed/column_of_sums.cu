// The last reads run down a column of a table whose rows are whole rounds of the banks.
// twin: lsmc_moments_1.cu, emitted with it by pricing_kernels
// launch: --grid 1 --block 128 --arg segments=4 --arg paths=500 --arg stride=500 --arg strike=100.0 --arg discount=1.0 --buffer 'sums=8*(11*segments)' --buffer 'values=4*(paths)' --buffer 'features=4*(0*stride + paths)' --assume 'segments == (paths + 127)//128'
// params: sums,values,segments,features,paths,stride,strike,discount
namespace lsmc_moments {
enum : unsigned { SEGMENT = 128u };
enum : unsigned { TERMS = 11u };
enum : unsigned { FEATURES = 1u };
enum : unsigned { DEGREE = 3u };
extern "C" __global__ void __launch_bounds__(128) column_of_sums(double* sums, const float* values, unsigned segments, const float* features, unsigned paths, unsigned long long stride, float strike, float discount)
{
    __shared__ double part[TERMS][SEGMENT];
    for (unsigned segment = blockIdx.x; segment < segments; segment += gridDim.x) {
        for (unsigned slot = threadIdx.x; slot < SEGMENT; slot += blockDim.x) {
            unsigned path = segment * SEGMENT + slot;
            double x[2 * DEGREE + 1] = {}, y[2 * DEGREE + 1] = {1.0}, value = 0.0;  // powers
            if (path < paths) {
                float gain = features[path], other = features[path + (FEATURES - 1) * stride];
                x[0] = gain > 0.0f ? 1.0 : 0.0;  // the paths on which exercise pays
                x[1] = x[0] * (gain / strike);
                y[1] = other / strike - 1.0f;
                value = values[path] * discount;
            }
            for (unsigned i = 2; i <= 2 * DEGREE; i++) {
                x[i] = x[i - 1] * x[1];
                y[i] = y[i - 1] * y[1];
            }
            unsigned term = 0;
            for (unsigned i = 0; i <= 2 * DEGREE; i++)
                for (unsigned j = 0; j <= (FEATURES > 1 ? 2 * DEGREE - i : 0); j++)
                    part[term++][slot] = x[i] * y[j];
            for (unsigned i = 0; i <= DEGREE; i++)
                for (unsigned j = 0; j <= (FEATURES > 1 ? DEGREE - i : 0); j++)
                    part[term++][slot] = x[i] * y[j] * value;
        }
        __syncthreads();
        for (unsigned half = SEGMENT / 2; half > 0; half /= 2) {
            for (unsigned slot = threadIdx.x; slot < half; slot += blockDim.x)
#pragma unroll
                for (unsigned k = 0; k < TERMS; k++)
                    part[k][slot] += part[k][slot + half];
            __syncthreads();
        }
        for (unsigned k = threadIdx.x; k < TERMS; k += blockDim.x)
            sums[segment * TERMS + k] = part[k][0];  // expect: shared-bank-conflict
        __syncthreads();
    }
}
}
