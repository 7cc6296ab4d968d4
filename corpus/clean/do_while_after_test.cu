// A do-while loop entered only by the threads that have something to do.
// launch: --grid 3 --block 128 --arg n=300 --buffer x=4*n
// params: n,x
// expect-none
extern "C" __global__ void do_while_after_test(int n, float* x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    do {
        x[i] *= 2.0f;
        i += gridDim.x * blockDim.x;
    } while (i < n);
}
