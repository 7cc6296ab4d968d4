// A block has 64 elements, or those that are left; the guard compares a thread, unsigned, with a signed number.
// launch: --grid 2 --block 64 --arg n=100 --buffer x=4*n --buffer y=4*n
// params: x,y,n
// expect-none
extern "C" __global__ void elements_left_to_a_block(const float* x, float* y, int n)
{
    int size = min(n - (int)blockIdx.x * 64, 64);
    if (threadIdx.x < size) y[blockIdx.x * 64 + threadIdx.x] = 2 * x[blockIdx.x * 64 + threadIdx.x];
}
// contract: requires 64*nctaid.x <= n + 64
// contract: x = 4*n@4
// contract: y = 4*n@4
