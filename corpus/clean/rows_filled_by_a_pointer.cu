// Each thread fills its column: one pointer goes down in two loops, the inner one unrolled by four.
// launch: --grid 3 --block 32 --arg rows=5 --arg cols=7 --arg width=80 --buffer out=4*rows*cols*width
// params: rows,cols,width,out
// expect-none
extern "C" __global__ void rows_filled_by_a_pointer(int rows, int cols, int width, float* out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= width)
        return;
    float* at = out + t;
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < cols; column++) {
            *at = 1.0f;
            at += width;
        }
}
// contract: requires nctaid.x*ntid.x <= 2**31
// contract: out = 4*cols*rows*width@4
