// Five-point stencil on a grid with a halo of one cell on each side.
// launch: --grid 1x3 --block 32x8 --arg w=32 --arg h=22 --buffer in=4*w*h --buffer out=4*w*h
// params: w,h,in,out
// expect-none
extern "C" __global__ void stencil_with_halo(int w, int h, const float* in, float* out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x < w - 1 && y < h - 1) {
        float sum = in[y * w + x];
        sum += in[y * w + x - 1];
        sum += in[y * w + x + 1];
        sum += in[(y - 1) * w + x];
        sum += in[(y + 1) * w + x];
        out[y * w + x] = 0.2f * sum;
    }
}
