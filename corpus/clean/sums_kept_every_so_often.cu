// Running sums of columns, of which each so many rows one is kept.
// launch: --grid 2 --block 64 --arg n=128 --arg rows=50 --arg every=7 --buffer x=4*n*rows --buffer y=4*n*((rows-1)//every+1)
// params: x,y,n,rows,every
// expect-none
extern "C" __global__ void sums_kept_every_so_often(const float* x, float* y, int n, int rows, int every)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int row = 0; row < rows; row++) {
        sum += x[row * n + i];
        if (row % every == 0)
            y[row / every * n + i] = sum;
    }
}
