// The greatest word of each row, whose length is data: by lanes, then by the first lanes of warps.
// launch: --grid 4 --block 128 --buffer starts=4*5 --buffer in=4*1000 --buffer out=4*4 --values starts=0..1000
// params: starts,in,out
// input: starts=arange:i4
// expect-none
extern "C" __global__ void longest_of_rows(const int* starts, const int* in, int* out)
{
    __shared__ int best[4];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, own = 0;
    for (int j = starts[blockIdx.x] + threadIdx.x; j < starts[blockIdx.x + 1]; j += blockDim.x)
        own = max(own, in[j]);
    own = __reduce_max_sync(0xffffffffu, own);
    if (lane == 0)
        best[warp] = own;
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = max(max(best[0], best[1]), max(best[2], best[3]));
}
