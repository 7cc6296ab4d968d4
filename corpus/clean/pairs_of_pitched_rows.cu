// Pairs of samples are copied from rows of one pitch to rows of another one, both in samples.
// launch: --grid 1x4 --block 32x8 --arg width=50 --arg height=30 --arg from=60 --arg to=52 --buffer x=3580 --buffer y=3116
// params: x,y,width,height,from,to
// expect-none
extern "C" __global__ void pairs_of_pitched_rows(const short2* x, short2* y, int width, int height, int from, int to)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= height) return;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < width / 2; i += gridDim.x * blockDim.x)
        y[row * (to / 2) + i] = x[row * (from / 2) + i];
}
// contract: requires from >= 0
// contract: x = 4*((from*height + width - from)//2)@4
// contract: y = 4*((height*to + width - to)//2)@4
