// The nearest of n points, which pass through shared memory by tiles; the last tile is shorter.
// launch: --grid 2 --block 64 --arg n=1100 --arg rows=100 --buffer points=8*n --buffer xs=4*rows --buffer ys=4*rows --buffer nearest=4*rows
// params: n,rows,points,xs,ys,nearest
// expect-none
extern "C" __global__ void nearest_by_tiles(int n, int rows, const float* points,
                                            const float* xs, const float* ys, float* nearest)
{
    __shared__ float tile[1024];
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float x = row < rows ? xs[row] : 0, y = row < rows ? ys[row] : 0, best = 1e30f;
    for (int first = 0; first < n; first += 512) {
        int count = min(n, first + 512) - first;
        for (int i = threadIdx.x; i < 2 * count; i += blockDim.x)
            tile[i] = points[2 * first + i];
        __syncthreads();
        for (int i = 0; i < count; i++) {
            float dx = tile[2 * i] - x, dy = tile[2 * i + 1] - y;
            best = fminf(best, dx * dx + dy * dy);
        }
        __syncthreads();
    }
    if (row < rows)
        nearest[row] = best;
}
// contract: requires n <= 2**30
// contract: points = 8*n@4
// contract: xs = 4*rows@4
