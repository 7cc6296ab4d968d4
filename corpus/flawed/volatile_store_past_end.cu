// A shared store past the end that nothing reads: only volatile keeps it in the PTX.
// launch: --grid 1 --block 64 --buffer y=4*64
// params: y
extern "C" __global__ void volatile_store_past_end(int* y)
{
    __shared__ volatile int s[48];
    int t = threadIdx.x;
    s[t] = t;  // expect: out-of-bounds
    y[t] = t;
}
