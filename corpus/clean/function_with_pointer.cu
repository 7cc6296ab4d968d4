// A function that is not inlined stores through a pointer that its caller computed.
// launch: --grid 2 --block 64 --arg n=100 --buffer x=4*n --buffer y=4*n
// params: n,x,y
// expect-none
__device__ __noinline__ void halve(const float* from, float* to) { *to = 0.5f * *from; }
extern "C" __global__ void function_with_pointer(int n, const float* x, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        halve(x + i, y + i);
}
