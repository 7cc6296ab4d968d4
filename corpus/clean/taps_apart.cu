// A convolution of 2 x 2 taps that lie apart, in steps, with zeros around: rows outside are left out, columns outside too.
// launch: --grid 1x8 --block 32x4 --arg h=31 --arg w=27 --arg rows=32 --arg cols=28 --arg step=1 --arg apart=3 --arg pad=2
// launch: --buffer x=4*h*w --buffer y=4*rows*cols
// params: x,y,h,w,rows,cols,step,apart,pad
// expect-none
extern "C" __global__ void taps_apart(const float* x, float* y, int h, int w, int rows, int cols, int step, int apart, int pad)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= cols || row >= rows) return;
    float sum = 0;
    for (int r = 0; r < 2; ++r) {
        int i = row * step - pad + r * apart;
        if (i < 0 || i >= h) continue;
        for (int s = 0; s < 2; ++s) {
            int j = column * step - pad + s * apart;
            if ((unsigned)j < (unsigned)w) sum += x[i * w + j];
        }
    }
    y[row * cols + column] = sum;
}
// contract: requires h*w <= 2**31
// contract: x = 4*h*w@4
// contract: y = 4*cols*rows@4
