// Strides over the grid along both axes.
// launch: --grid 1x2 --block 32x2 --arg width=1..70 --arg height=1..9 --buffer x=4*width*height
// params: width,height,x
// expect-none
extern "C" __global__ void grid_stride_2d(int width, int height, float* x)
{
    for (int row = blockIdx.y * blockDim.y + threadIdx.y; row < height; row += gridDim.y * blockDim.y)
        for (int column = blockIdx.x * blockDim.x + threadIdx.x; column < width;
             column += gridDim.x * blockDim.x)
            x[row * width + column] *= 0.5f;
}
