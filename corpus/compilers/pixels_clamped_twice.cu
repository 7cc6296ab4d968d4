// An image at another size: the place between pixels is clamped as a float, and again as an integer.
// launch: --grid 3x4 --block 16x8 --arg width=37 --arg height=21 --arg wide=40 --arg high=30 --arg sx=0.9 --arg sy=0.7 --buffer in=width*height --buffer out=wide*high
// params: in,width,height,out,wide,high,sx,sy
extern "C" __global__ void pixels_clamped_twice(const unsigned char* in, int width, int height, unsigned char* out,
                                                int wide, int high, float sx, float sy)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= wide || j >= high) return;
    float u = fminf(fmaxf((i + 0.5f) * sx - 0.5f, 0.0f), (float)(width - 1));
    float v = fminf(fmaxf((j + 0.5f) * sy - 0.5f, 0.0f), (float)(height - 1));
    int left = min((int)u, width - 1), top = min((int)v, height - 1);
    int right = min(left + 1, width - 1), bottom = min(top + 1, height - 1);
    float above = in[top * width + left] + (in[top * width + right] - in[top * width + left]) * (u - left);  // expect: uncoalesced-access
    float below = in[bottom * width + left] + (in[bottom * width + right] - in[bottom * width + left]) * (u - left);  // expect: uncoalesced-access
    out[j * wide + i] = (unsigned char)(above + (below - above) * (v - top) + 0.5f);  // expect: uncoalesced-access
}
// contract: requires width >= 1
// contract: in = height*width@1
