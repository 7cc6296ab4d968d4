// A store in a device function that the compiler inlines: the flaw lies in the callee's line.
// launch: --grid 2 --block 128 --arg n=200 --buffer x=4*n
// params: n,x
__device__ __forceinline__ void put(int n, int* x, int i, int v)
{
    if (i <= n)
        x[i] = v;  // expect: out-of-bounds
}
extern "C" __global__ void inlined_store_past_end(int n, int* x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    put(n, x, i, 3 * i);
}
