// The slow ways of the cosine and of the sine each read a table by an int that the compiler keeps in
// 64 bits: it is cut, one more, and extended again.
// launch: --grid 3 --block 64 --buffer x=1200 --buffer y=1200 --arg cols=100 --arg scale=0.25
// params: x,y,cols,scale
// input: x=arange:f4
// expect-none
extern "C" __global__ void waves_of_rows(const float *x, float *y, int cols, float scale)
{
    int row = blockIdx.x;
    for (int i = threadIdx.x; i < cols; i += blockDim.x) {
        float angle = scale * x[cols * row + i];
        y[cols * row + i] = cosf(angle) - sinf(angle);
    }
}
// contract: requires cols*nctaid.x <= 2**31
// contract: y = 4*cols*nctaid.x@4
