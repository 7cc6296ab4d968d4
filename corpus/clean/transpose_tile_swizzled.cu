// Transpose through a 32 x 32 tile, columns permuted by exclusive or: no conflict, no padding.
// launch: --grid 2x2 --block 32x8 --arg n=64 --buffer in=4*n*n --buffer out=4*n*n
// params: n,in,out
// expect-none
extern "C" __global__ void transpose_tile_swizzled(int n, const float* in, float* out)
{
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y + j][threadIdx.x ^ (threadIdx.y + j)] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) {
        float v = tile[threadIdx.x][(threadIdx.y + j) ^ threadIdx.x];
        out[(y + j) * n + x] = v;
    }
}
