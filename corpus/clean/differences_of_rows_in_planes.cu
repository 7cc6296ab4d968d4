// Each element less the one below it: the guard compares the row, which two divisions leave, and the index is not divided.
// launch: --grid 2 --block 64 --arg planes=2 --arg height=8 --arg width=8 --buffer x=4*planes*height*width --buffer y=4*planes*height*width
// params: x,y,planes,height,width
// expect-none
extern "C" __global__ void differences_of_rows_in_planes(const float* x, float* y, int planes, int height, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < planes * height * width) y[i] = i / width % height + 1 < height ? x[i] - x[i + width] : 0;
}
// contract: requires width >= 1
// contract: x = 4*height*planes*width@4
