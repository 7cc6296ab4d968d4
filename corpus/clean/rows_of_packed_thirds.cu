// Thirty-two numbers are packed in three words: row r begins at word row 32*r/3. The compiler multiplies the
// row, times 32, by a reciprocal of 3.
// launch: --grid 2x3 --block 32x4 --arg rows=11 --arg cols=40 --buffer y=4*rows*cols --buffer x=4*((32*(rows-1))//3+1)*cols
// params: y,x,rows,cols
// expect-none
extern "C" __global__ void rows_of_packed_thirds(float* y, const float* x, int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col >= cols || row >= rows) return;
    y[row * cols + col] = x[(row * 32 / 3) * cols + col];
}
// contract: x = 4*((32*rows - 29)//3)*cols@4
