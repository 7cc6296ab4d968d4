// A picture sampled at given places, with zeros outside of it; a place may be anything, also not a number.
// launch: --grid 3 --block 128 --arg n=300 --arg height=13 --arg width=21 --buffer picture=4*height*width --buffer at=8*n --buffer out=4*n
// params: picture,at,out,n,height,width
// expect-none
__device__ float sample(const float* picture, int height, int width, float y, float x)
{
    if (y <= -1.0f || height <= y || x <= -1.0f || width <= x) return 0;
    int top = floorf(y), left = floorf(x);
    float dy = y - top, dx = x - left, sum = 0;
    if (top >= 0 && left >= 0) sum += (1 - dy) * (1 - dx) * picture[top * width + left];
    if (top >= 0 && left + 1 < width) sum += (1 - dy) * dx * picture[top * width + left + 1];
    if (top + 1 < height && left >= 0) sum += dy * (1 - dx) * picture[(top + 1) * width + left];
    if (top + 1 < height && left + 1 < width) sum += dy * dx * picture[(top + 1) * width + left + 1];
    return sum;
}
extern "C" __global__ void samples_with_zeros_outside(const float* picture, const float2* at, float* out, int n, int height, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = sample(picture, height, width, at[i].y, at[i].x);
}
