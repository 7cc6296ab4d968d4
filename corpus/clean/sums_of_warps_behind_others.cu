// The sums of the warps lie in shared memory behind as many other words; the first thread adds them up.
// launch: --grid 4 --block 256 --shared 64 --arg n=1000 --buffer x=4*n --buffer out=4*4
// params: out,x,n
// expect-none
extern "C" __global__ void sums_of_warps_behind_others(float* out, const float* x, int n)
{
    extern __shared__ float shared[];
    int warps = blockDim.x / 32;
    float* sums = &shared[warps];
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += x[i];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        float all = sums[0];
        for (int i = 1; i < warps; i++)
            all += sums[i];
        out[blockIdx.x] = all;
    }
}
// contract: shared = 4*((ntid.x + 15)//16)
