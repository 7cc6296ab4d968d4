// Each tile of 256 is added up by 128 threads, of which a guard allows the first half: the elements are whole tiles.
// launch: --grid 2 --block 128 --arg n=1024 --buffer in=4*n --buffer out=1024
// params: in,out,n
// expect-none
extern "C" __global__ void pass_over_whole_tiles(const float* in, float* out, unsigned n)
{
    __shared__ float sums[128];
    unsigned t = threadIdx.x;
    float sum = 0;
    for (unsigned i = blockIdx.x * 256 + t; i < n; i += 256 * gridDim.x)
        sum += in[i] + in[i + 128];
    sums[t] = sum;
    __syncthreads();
    out[blockIdx.x * blockDim.x + t] = sums[t];
}
// contract: requires ntid.x <= 128
// contract: in = min(4*n + 512, 1024*((n + 255)//256) + 4*ntid.x - 512)@4
