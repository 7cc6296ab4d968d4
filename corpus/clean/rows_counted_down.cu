// The rows of an image from the last one to the first, one a block.
// launch: --grid 11 --block 32 --arg width=32 --arg height=11 --buffer x=4*width*height --buffer y=4*width*height
// params: x,y,width,height
// expect-none
extern "C" __global__ void rows_counted_down(const float* x, float* y, int width, int height)
{
    y[width * blockIdx.x + threadIdx.x] = x[width * (height - 1 - blockIdx.x) + threadIdx.x];
}
// contract: requires nctaid.x <= height
// contract: x = 4*height*width + 4*ntid.x - 4*width@4
