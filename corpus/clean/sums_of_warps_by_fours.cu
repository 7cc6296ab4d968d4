// One thread adds what the first one of each warp has left in dynamic shared memory: a loop by 32,
// which is unrolled by four, with the rest behind it.
// launch: --grid 2 --block 160 --shared 640 --buffer x=1280 --buffer y=8
// params: x,y
// expect-none
extern "C" __global__ void sums_of_warps_by_fours(const float *x, float *y)
{
    extern __shared__ float s[];
    s[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0.0f;
        for (int i = 0; i < blockDim.x; i += 32)
            sum += s[i];
        y[blockIdx.x] = sum;
    }
}
// contract: shared = 4*ntid.x
