// A tile with its halo is loaded in turn, row by row, with rows and columns clamped to the image.
// launch: --grid 2,2 --block 32,8 --arg width=50 --arg height=13 --buffer in=4*width*height --buffer out=4*width*height
// params: in,out,width,height
// expect-none
#define WIDTH 32
#define HEIGHT 8

extern "C" __global__ void stencil_with_clamped_halo(const float* in, float* out, int width, int height)
{
    __shared__ float tile[HEIGHT + 2][WIDTH + 2];
    int left = blockIdx.x * WIDTH, top = blockIdx.y * HEIGHT;
    for (int i = threadIdx.y; i < HEIGHT + 2; i += HEIGHT)
        for (int j = threadIdx.x; j < WIDTH + 2; j += WIDTH) {
            int x = min(max(left + j - 1, 0), width - 1);
            int y = min(max(top + i - 1, 0), height - 1);
            tile[i][j] = in[y * width + x];
        }
    __syncthreads();
    int x = left + threadIdx.x, y = top + threadIdx.y;
    if (x < width && y < height) {
        float* at = &tile[threadIdx.y + 1][threadIdx.x + 1];
        out[y * width + x] = at[0] - 0.25f * (at[1] + at[-1] + at[WIDTH + 2] + at[-WIDTH - 2]);
    }
}
// contract: requires height >= 1
// contract: in = 4*height*width@4
