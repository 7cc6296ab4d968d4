// Brightness of an image: threads outside of it leave at once.
// launch: --grid 2x5 --block 32x8 --arg width=1..40 --arg height=1..37 --arg gain=1.5 --buffer in=4*width*height --buffer out=4*width*height
// params: width,height,gain,in,out
// expect-none
extern "C" __global__ void guard_2d_early_return(int width, int height, float gain,
                                                 const float* in, float* out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    out[y * width + x] = gain * in[y * width + x];
}
