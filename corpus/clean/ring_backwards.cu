// A filter over a ring buffer of rows from the newest one on: older ones lie before it, and then at the end.
// launch: --grid 2x9 --block 64 --arg n=9 --arg width=128 --arg taps=21 --buffer x=4*n*width --buffer weights=4*taps --buffer y=4*n*width
// params: x,weights,y,n,width,taps
// expect-none
extern "C" __global__ void ring_backwards(const float* x, const float* weights, float* y, int n, int width, int taps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, newest = blockIdx.y;
    if (i >= width || newest >= n)
        return;
    float sum = 0;
    for (int k = 0, at = newest; k < taps; k++) {
        sum += weights[k] * x[at * width + i];
        if (--at < 0)
            at += n;
    }
    y[newest * width + i] = sum;
}
