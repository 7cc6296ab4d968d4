// Images in layers of blocks: a layer has four rows of one image, whose height need not be a multiple of four.
// launch: --grid 2x1x8 --block 32x1x4 --arg height=13 --arg width=45 --buffer x=4*2*height*width --buffer y=4*2*height*width
// params: x,y,height,width
// expect-none
extern "C" __global__ void tiles_in_layers(const float* x, float* y, int height, int width)
{
    int tiles = (height + 3) / 4, image = blockIdx.z / tiles;
    int row = (blockIdx.z - image * tiles) * 4 + threadIdx.z;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= height || column >= width) return;
    size_t at = ((size_t)image * height + row) * width + column;
    y[at] = 2.0f * x[at];
}
// contract: requires height >= 1
// contract: x = 4*((nctaid.z - 1)//((height + 3)//4))*height*width + 4*height*width@4
