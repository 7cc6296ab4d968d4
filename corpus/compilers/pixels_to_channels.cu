// Squares of s by s pixels become s*s channels of an image with as few rows and columns.
// launch: --grid 4 --block 64 --arg planes=3 --arg rows=5 --arg cols=6 --arg s=3
// launch: --buffer x=4*planes*rows*s*cols*s --buffer y=4*planes*s*s*rows*cols
// params: x,y,planes,rows,cols,s
extern "C" __global__ void pixels_to_channels(const float* x, float* y, int planes, int rows,
                                              int cols, int s)
{
    int wide = cols * s, high = rows * s, n = planes * high * wide;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int column = i % wide, row = i / wide % high, plane = i / (wide * high);
        int channel = (plane * s + row % s) * s + column % s;
        y[(channel * rows + row / s) * cols + column / s] = x[i];  // expect: uncoalesced-access
    }
}
// contract: requires nctaid.x*ntid.x <= 2**30
// contract: x = 4*cols*planes*rows*s*s@4
// contract: y = 4*cols*planes*rows*s*s@4
