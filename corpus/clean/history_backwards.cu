// A filter keeps its last samples in a ring as long as the block, which is filled backwards.
// launch: --grid 3 --block 64 --arg n=100 --buffer x=1200 --buffer y=1200 --shared 256
// params: x,y,n
// expect-none
extern "C" __global__ void history_backwards(const float* x, float* y, int n)
{
    extern __shared__ float last[];
    int size = blockDim.x, head = 0;
    last[threadIdx.x] = 0;
    __syncthreads();
    for (int i = 0; i < n; ++i) {
        head = head == 0 ? size - 1 : head - 1;
        if (threadIdx.x == 0) last[head] = x[blockIdx.x * n + i];
        __syncthreads();
        if (threadIdx.x == 1) y[blockIdx.x * n + i] = last[head] + 1;
        __syncthreads();
    }
}
// contract: shared = 4*ntid.x
