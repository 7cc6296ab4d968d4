// A length that is rounded up in one range of sizes only, in the middle of those that are declared.
// launch: --grid 16 --block 256 --arg n=1..4096 --buffer y=4*n
// params: n,y
extern "C" __global__ void longer_for_some_sizes(int n, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int length = n >= 1000 && n < 1024 ? 1024 : n;
    if (i < length)
        y[i] = 1.0f;  // expect: out-of-bounds
}
