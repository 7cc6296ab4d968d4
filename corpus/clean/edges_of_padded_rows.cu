// Each pixel less the mean of its neighbours: those above and below by a tile, the one to its left clamped to the row.
// launch: --grid 4x10 --block 32x8 --arg width=101 --arg height=75 --arg pitch=104 --buffer in=4*pitch*height --buffer out=4*pitch*height
// params: in,out,width,height,pitch
// expect-none
extern "C" __global__ void edges_of_padded_rows(const float* __restrict__ in, float* __restrict__ out, int width, int height,
                                                int pitch)
{
    __shared__ float tile[10][32];
    const int left = blockIdx.x * 32, top = blockIdx.y * 8 - 1;
    for (int t = threadIdx.y * 32 + threadIdx.x; t < 10 * 32; t += 256) {
        const int row = t / 32, column = t % 32, x = left + column, y = top + row;
        tile[row][column] = x < width && y >= 0 && y < height ? in[y * pitch + x] : 0.0f;
    }
    __syncthreads();
    const int x = left + threadIdx.x, y = top + 1 + threadIdx.y;
    if (x >= width || y >= height)
        return;
    const float before = in[y * pitch + (x > 0 ? x - 1 : 0)];
    const float* above = &tile[threadIdx.y][threadIdx.x];
    out[y * pitch + x] = above[32] - (before + above[0] + above[64]) / 3.0f;
}
