// A local array under a dynamic index that reaches its size.
// launch: --grid 2 --block 64 --buffer x=32*128 --buffer y=4*128
// params: x,y
extern "C" __global__ void local_array_off_by_one(const int* x, int* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    volatile int recent[8];
    for (int k = 0; k < 8; k++)
        recent[k] = x[k * 128 + i];
    y[i] = recent[i % 8 + 1];  // expect: out-of-bounds
}
