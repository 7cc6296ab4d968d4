// One number for each place of a square of eight by eight pixels that moves by so many pixels at a time.
// launch: --grid 3 --block 32 --arg w=40 --arg h=30 --arg step=4 --buffer y=216
// params: y,w,h,step
// expect-none
extern "C" __global__ void places_of_a_moving_square(float* y, int w, int h, int step)
{
    const int columns = (w - 8) / step + 1, rows = (h - 8) / step + 1;
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < columns * rows) y[t] = 1;
}
// contract: requires w >= 8
// contract: y = 4*((h - 8)//step)*((w - 8)//step) + 4*((h - 8)//step) + 4*((w - 8)//step) + 4@4
