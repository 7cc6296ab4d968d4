// A vector reversed: the index counts back from the end.
// launch: --grid 2 --block 128 --arg n=1..200 --buffer x=4*n --buffer y=4*n
// params: n,x,y
// expect-none
extern "C" __global__ void index_reversed(int n, const float* x, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[n - 1 - i];
}
