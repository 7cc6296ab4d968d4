// The first halves of rows, one behind the other: each thread divides its index by half of a row's length.
// launch: --grid 3 --block 64 --arg rows=1..4 --arg cols=2..96 --buffer x=4*rows*cols --buffer y=768
// params: x,y,rows,cols
// expect-none
extern "C" __global__ void first_halves_of_rows(const float* x, float* y, int rows, int cols)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, half = cols / 2;
    if (i < rows * half)
        y[i] = x[i / half * cols + i % half];
}
// contract: requires cols >= 0
// contract: x = 4*cols*rows + 4*(cols//2) - 4*cols@4
