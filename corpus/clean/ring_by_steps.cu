// Sums of rows of a ring buffer, so many apart: the row is moved back where it is beyond the end.
// launch: --grid 2x9 --block 64 --arg n=9 --arg width=128 --arg step=7 --arg count=21 --buffer x=4*n*width --buffer y=4*n*width
// params: x,y,n,width,step,count
// expect-none
extern "C" __global__ void ring_by_steps(const float* x, float* y, int n, int width, int step, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y;
    if (i >= width || first >= n)
        return;
    float sum = 0;
    for (int k = 0, at = first; k < count; k++) {
        sum += x[at * width + i];
        at += step;
        if (at >= n)
            at -= n;
    }
    y[first * width + i] = sum;
}
