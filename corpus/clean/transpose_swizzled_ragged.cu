// Transpose through a 32 x 32 tile whose columns are permuted by exclusive or; edges are guarded.
// launch: --grid 2x2 --block 32x32 --arg n=50 --buffer in=4*n*n --buffer out=4*n*n
// params: n,in,out
// expect-none
extern "C" __global__ void transpose_swizzled_ragged(int n, const float* in, float* out)
{
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    if (x < n && y < n)
        tile[threadIdx.y][threadIdx.x ^ threadIdx.y] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    if (x < n && y < n)
        out[y * n + x] = tile[threadIdx.x][threadIdx.y ^ threadIdx.x];
}
// contract: requires ntid.y <= 32
// contract: in = 4*n*n@4
