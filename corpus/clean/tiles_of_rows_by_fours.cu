// Each sixteen threads of a block fill four rows of a tile of 64 by 64, four columns a thread.
// launch: --grid 2x3x2 --block 256 --arg n=128 --arg stride=24576 --buffer c=8*stride
// params: c,n,stride
// expect-none
extern "C" __global__ void tiles_of_rows_by_fours(float* c, int n, long long stride)
{
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    float* tile = c + blockIdx.z * stride + (long long)blockIdx.y * 64 * n + blockIdx.x * 64;
    for (int i = 0; i < 4; ++i)
        *reinterpret_cast<float4*>(tile + (ty * 4 + i) * n + tx * 4) = make_float4(1.0f, 0.0f, 0.0f, 1.0f);
}
// contract: requires stride % 4 == 0
// contract: c = 16*((ntid.x + 15)//16)*n + 256*n*nctaid.y + 4*nctaid.z*stride + 256*nctaid.x - 260*n - 4*stride@16
