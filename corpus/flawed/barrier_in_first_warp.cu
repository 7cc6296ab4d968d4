// A barrier inside a branch that is uniform in each warp but not in the block.
// launch: --grid 4 --block 64 --buffer y=4*256
// params: y
extern "C" __global__ void barrier_in_first_warp(int* y)
{
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    s[t] = t;
    if (t < 32) {
        __syncthreads();  // expect: divergent-barrier
        y[i] = s[t ^ 1];
    }
}
