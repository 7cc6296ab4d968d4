// A call of a device function that is not inlined: parameters travel in param space.
// launch: --grid 2 --block 128 --buffer x=4*256
// params: x
// expect-none
__device__ __noinline__ float logistic(float rate, float x)
{
    return rate * x * (1.0f - x);
}
extern "C" __global__ void noinline_device_function(float* x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = logistic(3.5f, x[i]);
}
