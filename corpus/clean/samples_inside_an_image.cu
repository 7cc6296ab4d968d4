// Samples of an image between its pixels; pixels outside of it count as zero.
// launch: --grid 2 --block 64 --arg n=100 --arg height=9 --arg width=13 --buffer image=4*height*width --buffer ys=4*n --buffer xs=4*n --buffer out=4*n
// params: image,ys,xs,out,n,height,width
// expect-none
extern "C" __global__ void samples_inside_an_image(const float* image, const float* ys, const float* xs, float* out,
                                                   int n, int height, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float y = ys[i], x = xs[i], value = 0;
    if (y > -1 && x > -1 && y < height && x < width) {
        int top = (int)floorf(y), left = (int)floorf(x);
        float down = y - top, across = x - left;
        if (top >= 0 && left >= 0)
            value += image[top * width + left] * (1 - down) * (1 - across);
        if (top >= 0 && left + 1 <= width - 1)
            value += image[top * width + left + 1] * (1 - down) * across;
        if (top + 1 <= height - 1 && left >= 0)
            value += image[(top + 1) * width + left] * down * (1 - across);
        if (top + 1 <= height - 1 && left + 1 <= width - 1)
            value += image[(top + 1) * width + left + 1] * down * across;
    }
    out[i] = value;
}
// contract: requires height*width <= 2**31
// contract: image = 4*height*width@4
