// An image at points between its pixels, clamped to the borders as floats.
// launch: --grid 3 --block 128 --arg width=37 --arg height=21 --arg n=300 --buffer in=4*width*height --buffer x=4*n --buffer y=4*n --buffer out=4*n
// params: in,x,y,out,width,height,n
// expect-none
extern "C" __global__ void image_between_pixels(const float* in, const float* x, const float* y, float* out,
                                                int width, int height, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float u = fminf(fmaxf(x[i], 0.0f), (float)(width - 1));
    float v = fmaxf(fminf(y[i], height - 1.0f), 0.0f);
    int left = (int)floorf(u), top = (int)v;
    int right = min(left + 1, width - 1), bottom = min(top + 1, height - 1);
    u -= left;
    v -= top;
    float above = in[top * width + left] * (1.0f - u) + in[top * width + right] * u;
    float below = in[bottom * width + left] * (1.0f - u) + in[bottom * width + right] * u;
    out[i] = above * (1.0f - v) + below * v;
}
// contract: requires width >= 1
// contract: in = 4*height*width@4
// contract: x = 4*n@4
// contract: y = 4*n@4
// contract: out = 4*n@4
