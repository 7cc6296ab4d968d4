// The second price of a path is looked for beside the first one: the last paths have none.
// twin: lsmc_decide_1.cu, emitted with it by pricing_kernels
// launch: --grid 1 --block 256 --arg paths=256 --arg stride=256 --arg strike=100.0 --arg discount=1.0 --arg c00=1.0 --arg c01=1.0 --arg c02=1.0 --arg c03=1.0 --arg c10=1.0 --arg c11=1.0 --arg c12=1.0 --arg c20=1.0 --arg c21=1.0 --arg c30=1.0 --buffer 'values=4*(paths)' --buffer 'features=4*(0*stride + paths)' --assume 'nctaid.x*ntid.x >= paths'
// params: values,features,paths,stride,strike,discount,c00,c01,c02,c03,c10,c11,c12,c20,c21,c30
namespace lsmc_decide {
enum : unsigned { FEATURES = 1u };
extern "C" __global__ void __launch_bounds__(256) second_price_beside(float* values, const float* features, unsigned paths, unsigned long long stride, float strike, float discount, float c00, float c01, float c02, float c03, float c10, float c11, float c12, float c20, float c21, float c30)
{
    unsigned path = blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= paths)
        return;
    float gain = features[path], other = features[path + 1];  // expect: out-of-bounds
    float x = gain / strike, y = other / strike - 1.0f;
    float continuing = c00 + y * (c01 + y * (c02 + y * c03))
        + x * (c10 + y * (c11 + y * c12) + x * (c20 + y * c21 + x * c30));
    float value = values[path] * discount;
    if (gain > 0.0f && gain >= continuing)
        value = gain;
    values[path] = value;
}
}
