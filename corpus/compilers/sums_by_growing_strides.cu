// The first half of a scan by a tree: as many threads as are left add what lies a stride apart, which doubles.
// launch: --grid 3 --block 64 --shared 512 --buffer x=4*384 --buffer y=4*3
// params: x,y
extern "C" __global__ void sums_by_growing_strides(const float* x, float* y)
{
    extern __shared__ float part[];
    int t = threadIdx.x, half = blockDim.x, stride = 1;
    part[t] = x[blockIdx.x * 2 * half + t];
    part[t + half] = x[blockIdx.x * 2 * half + t + half];
    for (int left = half; left > 0; left >>= 1) {
        __syncthreads();
        if (t < left) part[stride * (2 * t + 2) - 1] += part[stride * (2 * t + 1) - 1];  // expect: shared-bank-conflict
        stride <<= 1;
    }
    __syncthreads();
    if (t == 0) y[blockIdx.x] = part[2 * half - 1];
}
// contract: shared = 8*ntid.x
