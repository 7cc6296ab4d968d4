// Sums of rows of a ring buffer, so many apart: the row is what a division by their number leaves.
// launch: --grid 2x9 --block 64 --arg n=9 --arg width=128 --arg step=70 --arg count=21 --buffer x=4*n*width --buffer y=4*n*width
// params: x,y,n,width,step,count
// expect-none
extern "C" __global__ void ring_by_remainders(const float* x, float* y, int n, int width, int step, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y;
    if (i >= width || first >= n)
        return;
    float sum = 0;
    for (int k = 0, at = first; k < count; k++) {
        sum += x[at * width + i];
        at = (at + step) % n;
    }
    y[first * width + i] = sum;
}
