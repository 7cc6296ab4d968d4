// Rows of two matrices side by side: an index is divided by the sum of both widths.
// launch: --grid 2 --block 64 --arg rows=5 --arg first=16 --arg second=8 --buffer x=4*first*rows --buffer y=4*second*rows --buffer z=4*(first+second)*rows
// params: x,y,z,rows,first,second
// expect-none
extern "C" __global__ void columns_joined(const float* x, const float* y, float* z, int rows, int first, int second)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, width = first + second;
    if (i >= rows * width) return;
    int row = i / width, column = i % width;
    z[i] = column < first ? x[row * first + column] : y[row * second + column - first];
}
// contract: requires first >= 0
// contract: x = 4*first*rows@4
// contract: y = 4*rows*second@4
