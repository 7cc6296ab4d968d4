// Dynamic shared memory for the whole block.
// launch: --grid 2 --block 128 --shared 512 --buffer x=4*256 --buffer y=4*256
// params: x,y
// expect-none
extern "C" __global__ void dynamic_shared_sized(const float* x, float* y)
{
    extern __shared__ float s[];
    int t = threadIdx.x;
    int base = blockIdx.x * blockDim.x;
    s[t] = x[base + t];
    __syncthreads();
    y[base + t] = s[blockDim.x - 1 - t];
}
