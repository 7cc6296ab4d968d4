// Transpose without a tile: rows are read along the warp, columns are written across it.
// launch: --grid 2x2 --block 32x8 --arg n=64 --buffer in=4*n*n --buffer out=4*n*n
// params: n,in,out
extern "C" __global__ void transpose_naive(int n, const float* in, float* out)
{
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) {
        float v = in[(y + j) * n + x];
        out[x * n + y + j] = v;  // expect: uncoalesced-access
    }
}
