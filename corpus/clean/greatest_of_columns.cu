// The row of the greatest element of each column so far is compared with each next one: its index comes from an iteration before.
// launch: --grid 2 --block 32 --arg rows=21 --arg columns=64 --buffer x=4*rows*columns --buffer at=4*columns
// params: x,at,rows,columns
// input: x=arange:f4
// expect-none
extern "C" __global__ void greatest_of_columns(const float* x, int* at, int rows, int columns)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
    if (column >= columns) return;
    for (int row = 1; row < rows; row++)
        if (x[row * columns + column] > x[best * columns + column]) best = row;
    at[column] = best;
}
// contract: requires nctaid.x*ntid.x <= 2**31
// contract: x = 4*columns*rows@4
// contract: at = 4*columns@4
