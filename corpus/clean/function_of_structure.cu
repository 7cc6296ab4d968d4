// A function that takes and returns a structure by value; it is not inlined.
// launch: --grid 2 --block 32 --arg n=50 --buffer low=4*n --buffer high=4*n
// params: n,low,high
// expect-none
struct Interval { float low, high; };
__device__ __noinline__ Interval widened(Interval i, float by)
{
    return {i.low - by, i.high + by};
}
extern "C" __global__ void function_of_structure(int n, float* low, float* high)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Interval wide = widened({low[i], high[i]}, 0.125f);
        low[i] = wide.low;
        high[i] = wide.high;
    }
}
