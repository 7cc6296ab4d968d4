// The column of an element, found by subtraction in place of a remainder.
// launch: --grid 2 --block 32 --arg n=50 --arg cols=7 --buffer x=4*cols --buffer y=4*n
// params: x,y,n,cols
extern "C" __global__ void column_by_subtraction(const float* x, float* y, int n, int cols)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int c = i;
    while (c >= cols) c -= cols;  // expect: divergent-loop
    y[i] = x[c];
}
// contract: requires cols >= 1
// contract: x = min(4*cols, 4*n)@4
// contract: y = 4*n@4
