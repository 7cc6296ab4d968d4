// Each pixel is replaced by the sum of its four diagonal neighbours; rows are padded, and at the borders the nearest pixel counts.
// launch: --grid 2x3 --block 32x4 --arg width=1..61 --arg height=1..11 --arg pitch=64 --buffer in=4*height*pitch --buffer out=4*height*pitch
// params: in,out,width,height,pitch
// expect-none
extern "C" __global__ void corners_of_padded_rows(const float* in, float* out, int width, int height, int pitch)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    const int left = x > 0 ? x - 1 : 0, right = x < width - 1 ? x + 1 : width - 1;
    const float* above = in + (y > 0 ? y - 1 : 0) * pitch;
    const float* below = in + (y < height - 1 ? y + 1 : height - 1) * pitch;
    out[y * pitch + x] = above[left] + above[right] + below[left] + below[right];
}
// contract: requires pitch >= 0
// contract: in = 4*height*pitch + 4*width - 4*pitch@4
