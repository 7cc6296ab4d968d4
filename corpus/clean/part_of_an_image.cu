// What lies in both of two images is copied: the index is less than the extents of both.
// launch: --grid 2x2 --block 16x4 --arg rows=6 --arg cols=20 --arg height=5 --arg width=17 --buffer out=4*rows*cols --buffer in=4*height*width
// params: out,in,rows,cols,height,width
// expect-none
extern "C" __global__ void part_of_an_image(float* out, const float* in, int rows, int cols, int height, int width)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c < cols && r < rows)
        out[r * cols + c] = c < width && r < height ? in[r * width + c] : 0.0f;
}
// contract: requires cols*rows <= 2**31
// contract: in = min(4*rows*width, 4*height*width)@4
