// A do-while loop runs once before its test, also for the threads that have nothing to do.
// launch: --grid 3 --block 128 --arg n=300 --buffer x=4*n
// params: n,x
extern "C" __global__ void do_while_before_test(int n, float* x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    do {
        x[i] *= 2.0f;  // expect: out-of-bounds
        i += gridDim.x * blockDim.x;
    } while (i < n);
}
