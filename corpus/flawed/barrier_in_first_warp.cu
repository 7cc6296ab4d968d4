// A barrier inside a branch that is uniform in each warp but not in the block.
// launch: --grid 4 --block 64 --buffer y=4*256
// params: y
extern "C" __global__ void barrier_in_first_warp(int* y)
{
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    s[t] = t;
    int v = t;
    if (t < 32) {
        __syncthreads();  // expect: divergent-barrier
        v = s[t ^ 1];
    }
    y[i] = v;
}
