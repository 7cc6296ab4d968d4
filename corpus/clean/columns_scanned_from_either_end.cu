// Greatest elements so far of columns, from the first row to the last one or back, as a flag says.
// launch: --grid 3 --block 32 --arg rows=9 --arg cols=70 --arg pitch=72 --arg back=1 --buffer x=4*((rows-1)*pitch+cols) --buffer y=4*((rows-1)*pitch+cols)
// params: x,y,rows,cols,pitch,back
// expect-none
extern "C" __global__ void columns_scanned_from_either_end(const float* x, float* y, int rows,
                                                           int cols, int pitch, bool back)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= cols) return;
    long long at = column, step = pitch;
    if (back) {
        at += (rows - 1) * step;
        step = -step;
    }
    float greatest = 0.0f;
    for (int i = 0; i < rows; i++, at += step) y[at] = greatest = fmaxf(greatest, x[at]);
}
// contract: requires pitch >= 0
// contract: x = 4*pitch*rows + 4*cols - 4*pitch@4
// contract: y = 4*pitch*rows + 4*cols - 4*pitch@4
