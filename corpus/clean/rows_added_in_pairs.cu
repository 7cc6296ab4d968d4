// Pairs of rows of a pitched matrix are added, the next row to each even one.
// launch: --grid 3x3 --block 32x4 --arg width=81 --arg height=22 --arg pitch=96 --buffer x=4*(pitch*(height-1)+width)
// launch: --buffer y=4*width*(height//2)
// params: x,y,width,height,pitch
// expect-none
extern "C" __global__ void rows_added_in_pairs(const float* x, float* y, int width, int height, int pitch)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = (blockIdx.y * blockDim.y + threadIdx.y) * 2;
    if (column >= width || row >= height) return;
    y[row / 2 * width + column] = x[row * pitch + column] + x[(row + 1) * pitch + column];
}
// contract: requires height*pitch + width <= 2**31
// contract: x = 8*((height + 1)//2)*pitch + 4*width - 4*pitch@4
// contract: y = 4*((height + 1)//2)*width@4
