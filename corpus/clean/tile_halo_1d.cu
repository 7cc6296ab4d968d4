// A moving average: the first threads of a block also load the halo on both sides.
// launch: --grid 2 --block 64 --arg n=1..120 --buffer x=4*n --buffer y=4*n
// params: n,x,y
// expect-none
constexpr int RADIUS = 3, BLOCK = 64;
extern "C" __global__ void tile_halo_1d(int n, const float* x, float* y)
{
    __shared__ float tile[BLOCK + 2 * RADIUS];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    tile[t + RADIUS] = i < n ? x[i] : 0.0f;
    if (t < RADIUS) {
        int left = i - RADIUS, right = i + BLOCK;
        tile[t] = left >= 0 && left < n ? x[left] : 0.0f;
        tile[t + RADIUS + BLOCK] = right < n ? x[right] : 0.0f;
    }
    __syncthreads();
    if (i >= n)
        return;
    float sum = 0.0f;
    for (int d = -RADIUS; d <= RADIUS; d++)
        sum += tile[t + RADIUS + d];
    y[i] = sum / (2 * RADIUS + 1);
}
