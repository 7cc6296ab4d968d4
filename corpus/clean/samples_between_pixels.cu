// Samples of an image between its pixels; places outside of it count as its border.
// launch: --grid 2 --block 64 --arg n=100 --arg height=9 --arg width=13 --buffer image=4*height*width --buffer ys=4*n --buffer xs=4*n --buffer out=4*n
// params: image,ys,xs,out,n,height,width
// expect-none
extern "C" __global__ void samples_between_pixels(const float* image, const float* ys, const float* xs, float* out,
                                                  int n, int height, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float y = ys[i], x = xs[i];
    if (y <= 0)
        y = 0;
    if (x <= 0)
        x = 0;
    int top = (int)y, left = (int)x, bottom, right;
    if (top >= height - 1)
        bottom = top = height - 1;
    else
        bottom = top + 1;
    if (left >= width - 1)
        right = left = width - 1;
    else
        right = left + 1;
    float down = y - top, across = x - left;
    float above = image[top * width + left] * (1 - across) + image[top * width + right] * across;
    float below = image[bottom * width + left] * (1 - across) + image[bottom * width + right] * across;
    out[i] = above * (1 - down) + below * down;
}
// contract: requires height >= 1
// contract: image = 4*height*width@4
