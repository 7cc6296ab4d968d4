// Differences of neighbours in rows: of the first column to the right, of all others to the left.
// launch: --grid 3x2 --block 32x8 --arg columns=70 --arg rows=13 --buffer x=4*columns*rows --buffer y=4*columns*rows
// params: x,y,columns,rows
// expect-none
extern "C" __global__ void differences_in_rows(const float* x, float* y, int columns,
                                               int rows)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= columns || row >= rows) return;
    int i = row * columns + column;
    y[i] = x[i] - x[column == 0 ? i + 1 : i - 1];
}
// contract: requires nctaid.x*ntid.x <= 2**31
// contract: x = max(4*columns*rows - 4*columns + 8, 4*columns*rows)@4
// contract: y = 4*columns*rows@4
