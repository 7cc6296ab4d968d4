// Elements that are kept, close together: their place is the sum of those before, first in the warp, then of the warps before.
// launch: --grid 3 --block 256 --arg n=700 --buffer x=4*n --buffer y=4*256*3
// params: x,y,n
// expect-none
extern "C" __global__ void places_by_sums_of_warps(const float* x, float* y, int n)
{
    __shared__ int sums[8];
    __shared__ float kept[256];
    int i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float own = i < n ? x[i] : 0.0f;
    int keep = own > 0.0f, sum = keep;
    kept[threadIdx.x] = 0;
    for (int step = 1; step < 32; step *= 2) {
        int before = __shfl_up_sync(0xffffffff, sum, step);
        if (lane >= step) sum += before;
    }
    if (lane == 31) sums[warp] = sum;
    __syncthreads();
    int first = 0;
#pragma unroll 1
    for (int w = 0; w < warp; w++) first += sums[w];
    if (keep) kept[first + sum - keep] = own;
    __syncthreads();
    y[i] = kept[threadIdx.x];
}
// contract: requires ntid.x <= 256
// contract: x = 4*n@4
