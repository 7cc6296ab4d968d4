// Colours of four bytes, one load a pixel, to a byte of grey.
// launch: --grid 2x3 --block 32x4 --arg width=50 --arg height=9 --arg pitch=64 --buffer in=4*pitch*height --buffer out=pitch*height
// params: width,height,pitch,in,out
// expect-none
extern "C" __global__ void packed_pixels_to_grey(int width, int height, size_t pitch,
                                                 const uchar4* in, unsigned char* out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    uchar4 p = in[y * pitch + x];
    out[y * pitch + x] = (77 * p.x + 150 * p.y + 29 * p.z) >> 8;
}
