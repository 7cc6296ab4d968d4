// Shuffle reduction: lanes of a warp through registers, warps through a shared array.
// launch: --grid 2 --block 256 --buffer in=4*512 --buffer out=4*2
// params: in,out
// expect-none
extern "C" __global__ void warp_sums_by_shuffle(const float* in, float* out)
{
    __shared__ volatile float sums[8];
    int t = threadIdx.x;
    float v = in[blockIdx.x * blockDim.x + t];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if (t % 32 == 0)
        sums[t / 32] = v;
    __syncthreads();
    if (t == 0) {
        float total = 0.0f;
        for (int w = 0; w < 8; w++)
            total += sums[w];
        out[blockIdx.x] = total;
    }
}
