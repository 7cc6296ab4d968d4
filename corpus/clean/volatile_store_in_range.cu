// A shared store that nothing reads, kept by volatile, and inside its array.
// launch: --grid 1 --block 64 --buffer y=4*64
// params: y
// expect-none
extern "C" __global__ void volatile_store_in_range(int* y)
{
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = t;
    y[t] = t;
}
