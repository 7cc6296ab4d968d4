// A tile with its halo, loaded over a flat index by all threads of the block in turn.
// launch: --grid 2x3 --block 32x4 --arg width=40 --arg height=11 --buffer x=4*width*height --buffer y=4*width*height
// params: width,height,x,y
// expect-none
constexpr int HALO = 8, WIDE = 32 + 2 * HALO, HIGH = 6;
extern "C" __global__ void tile_halo_2d(int width, int height, const float* x, float* y)
{
    __shared__ float tile[HIGH][WIDE];
    int left = blockIdx.x * 32, top = blockIdx.y * 4;
    for (int k = threadIdx.y * 32 + threadIdx.x; k < WIDE * HIGH; k += 128) {
        int column = left + k % WIDE - HALO, row = top + k / WIDE - 1;
        bool inside = column >= 0 && column < width && row >= 0 && row < height;
        tile[k / WIDE][k % WIDE] = inside ? x[row * width + column] : 0.0f;
    }
    __syncthreads();
    int column = left + threadIdx.x, row = top + threadIdx.y;
    if (column < width && row < height) {
        const float* here = &tile[threadIdx.y + 1][threadIdx.x + HALO];
        y[row * width + column] = here[-HALO] + here[HALO] + here[-WIDE] + here[WIDE];
    }
}
