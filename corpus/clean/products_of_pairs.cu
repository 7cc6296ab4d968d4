// A product for each pair of rows, the second not before the first: so many as the upper triangle of a matrix has.
// launch: --grid 3 --block 32 --arg n=12 --buffer x=312 --buffer y=312
// params: x,y,n
// expect-none
extern "C" __global__ void products_of_pairs(const float* x, float* y, int n)
{
    const int pairs = n * (n + 1) / 2;
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < pairs) y[t] = 2 * x[t];
}
// contract: requires n*n + n <= 2**31 - 1
// contract: x = 4*((n*n + n)//2)@4
// contract: y = 4*((n*n + n)//2)@4
