// An image scaled by nearest neighbours: the source column is x * width / new_width.
// launch: --grid 2x3 --block 32x4 --arg width=24 --arg height=7 --arg new_width=40 --arg new_height=11 --buffer in=4*width*height --buffer out=4*new_width*new_height
// params: width,height,new_width,new_height,in,out
// expect-none
extern "C" __global__ void image_scaled(unsigned width, unsigned height, unsigned new_width,
                                        unsigned new_height, const float* in, float* out)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < new_width && y < new_height)
        out[y * new_width + x] = in[y * height / new_height * width + x * width / new_width];
}
// contract: requires height >= 1
// contract: in = 4*height*width@4
