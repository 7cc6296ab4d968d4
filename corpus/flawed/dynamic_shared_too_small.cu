// Dynamic shared memory for half of the block only.
// launch: --grid 2 --block 128 --shared 256 --buffer x=4*256 --buffer y=4*256
// params: x,y
extern "C" __global__ void dynamic_shared_too_small(const float* x, float* y)
{
    extern __shared__ float s[];
    int t = threadIdx.x;
    int base = blockIdx.x * blockDim.x;
    s[t] = x[base + t];  // expect: out-of-bounds
    __syncthreads();
    y[base + t] = s[blockDim.x - 1 - t];  // expect: out-of-bounds
}
