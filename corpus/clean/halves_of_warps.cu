// The lower half of each warp adds the upper one, in dynamic shared memory: whole warps of it.
// launch: --grid 2 --block 96 --shared 384 --buffer x=768 --buffer y=768
// params: x,y
// expect-none
extern "C" __global__ void halves_of_warps(const float *x, float *y)
{
    extern __shared__ float s[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = x[i];
    __syncthreads();
    y[i] = (t & 31) < 16 ? s[t] + s[t + 16] : 0.0f;
}
// contract: shared = 128*((ntid.x + 31)//32)
