// Maxima of 3x3 windows; windows at the border are cut.
// launch: --grid 2x3 --block 32x4 --arg width=40 --arg height=11 --buffer in=4*width*height --buffer out=4*width*height
// params: width,height,in,out
// expect-none
extern "C" __global__ void image_pooled(int width, int height, const float* in, float* out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int left = max(x - 1, 0), right = min(x + 2, width);
    int top = max(y - 1, 0), bottom = min(y + 2, height);
    float most = -3.0e38f;
    for (int row = top; row < bottom; row++)
        for (int column = left; column < right; column++)
            most = fmaxf(most, in[row * width + column]);
    out[y * width + x] = most;
}
