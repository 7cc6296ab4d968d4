// A block sums tiles of 64, and what is left behind them; offset and end are unsigned, as in CUB's reduction.
// launch: --grid 1 --block 64 --arg n=200 --buffer x=4*n --buffer y=4*64
// params: n,x,y
// expect-none
extern "C" __global__ void tiles_of_unsigned(unsigned n, const float* x, float* y)
{
    float sum = 0.0f;
    unsigned offset = 0;
    if (n >= 64) {
        do {
            sum += x[offset + threadIdx.x];
            offset += 64;
        } while (offset <= n - 64);
    }
    int left = n - offset;
    if (offset < n && static_cast<int>(threadIdx.x) < left)
        sum += x[offset + threadIdx.x];
    y[threadIdx.x] = sum;
}
