// Pixels of an image by unsigned products of 24 bits, which a compiler writes as masks: what they
// cut off makes an index no larger than the guards say.
// launch: --grid 2x3 --block 16x4 --arg width=20 --arg height=10 --buffer x=800 --buffer y=800
// params: width,height,x,y
// expect-none
extern "C" __global__ void pixels_by_short_products(unsigned width, unsigned height, const float *x, float *y)
{
    unsigned column = __umul24(blockIdx.x, blockDim.x) + threadIdx.x;
    unsigned row = __umul24(blockIdx.y, blockDim.y) + threadIdx.y;
    if (column < width && row < height)
        y[__umul24(row, width) + column] = 2.0f * x[__umul24(row, width) + column];
}
// contract: requires nctaid.x*ntid.x <= 2**32
// contract: x = 4*height*width@4
// contract: y = 4*height*width@4
