// A tile whose halo is loaded without asking whether the vector goes on.
// launch: --grid 2 --block 64 --arg n=128 --buffer x=4*n --buffer y=4*n
// params: n,x,y
extern "C" __global__ void tile_halo_unguarded(int n, const float* x, float* y)
{
    __shared__ float tile[66];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    tile[t + 1] = i < n ? x[i] : 0.0f;
    if (t == 0)
        tile[0] = i > 0 ? x[i - 1] : 0.0f;
    if (t == 63)
        tile[65] = x[i + 1];  // expect: out-of-bounds
    __syncthreads();
    if (i < n)
        y[i] = tile[t] + tile[t + 2];
}
