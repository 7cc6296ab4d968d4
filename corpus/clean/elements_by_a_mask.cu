// A filter over a ring buffer of 1024 samples: places are masked.
// launch: --grid 2 --block 128 --arg n=256 --arg taps=21 --buffer x=4096 --buffer weights=4*taps --buffer y=4*n
// params: x,weights,y,n,taps
// expect-none
extern "C" __global__ void elements_by_a_mask(const float* x, const float* weights, float* y, int n, int taps)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < taps; k++)
        sum += weights[k] * x[(t - 32 * k) & 1023];
    if (t < n)
        y[t] = sum;
}
