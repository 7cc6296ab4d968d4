// Functions that are called, one inside the other.
// launch: --grid 1 --block 32 --arg n=5 --buffer y=4*32
// params: n,y
// expect-none
__device__ __noinline__ int twice(int a, int b) { return a * 2 + b; }
__device__ __noinline__ int power(int a, int n)
{
    int result = 1;
    for (int i = 0; i < n; i++)
        result = twice(result, a);
    return result;
}
extern "C" __global__ void device_functions(int n, int* y)
{
    y[threadIdx.x] = power(threadIdx.x, n) + twice(n, threadIdx.x);
}
