// Rows copied by a block whose threads walk on by rows and columns, without a division.
// launch: --grid 1 --block 32 --arg rows=9 --arg cols=7 --arg pitch=10 --buffer x=4*((rows-1)*pitch+cols) --buffer y=4*rows*cols
// params: x,y,rows,cols,pitch
extern "C" __global__ void rows_by_subtraction(const float* x, float* y, int rows, int cols, int pitch)
{
    int row = 0, col = threadIdx.x;
    while (col >= cols) { col -= cols; ++row; }
    while (row < rows) {
        y[row * cols + col] = x[row * pitch + col];  // expect: uncoalesced-access
        col += blockDim.x;
        while (col >= cols) { col -= cols; ++row; }
    }
}
// contract: requires cols + ntid.x <= 2**31
// contract: x = 4*pitch*rows + 4*cols - 4*pitch@4
// contract: y = 4*cols*rows@4
