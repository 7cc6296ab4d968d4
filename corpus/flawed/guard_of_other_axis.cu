// A guard that compares the column with the height and the row with the width.
// launch: --grid 2x5 --block 32x8 --arg width=40 --arg height=37 --buffer in=4*width*height --buffer out=4*width*height
// params: width,height,in,out
extern "C" __global__ void guard_of_other_axis(int width, int height, const float* in, float* out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= height || y >= width)
        return;
    out[y * width + x] = 2.0f * in[y * width + x];  // expect: out-of-bounds
}
