// One number for each cell of so many pixels by as many, where an image has whole ones.
// launch: --grid 3 --block 32 --arg w=41 --arg h=30 --arg step=4 --buffer y=280
// params: y,w,h,step
// expect-none
extern "C" __global__ void cells_of_whole_steps(float* y, int w, int h, int step)
{
    const int columns = w / step, rows = h / step;
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < columns * rows) y[t] = 1;
}
// contract: requires (h//step)*(w//step) <= 2**31 - 1
// contract: y = 4*(h//step)*(w//step)@4
