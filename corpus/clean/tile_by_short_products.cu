// Rows of an image by products of 24 bits: what the block and the pitch are is short enough.
// launch: --grid 2x3 --block 8x4 --arg pitch=16 --buffer x=768 --buffer y=768
// params: pitch,x,y
// expect-none
extern "C" __global__ void tile_by_short_products(int pitch, const float *x, float *y)
{
    unsigned row = blockIdx.y * 4 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
    x += __mul24(row, pitch) + column;
    y += __mul24(row, pitch) + column;
    y[0] = 2.0f * x[0];
}
// contract: requires pitch <= 2**23 - 1
// contract: x = 16*nctaid.y*pitch + 4*ntid.y*pitch + 32*nctaid.x + 4*ntid.x - 20*pitch - 32@4
