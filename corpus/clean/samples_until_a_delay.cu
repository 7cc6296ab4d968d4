// A signal delayed by a filter of 31 samples: the loop runs as many steps longer, in each of which lanes exchange what they have.
// launch: --grid 3 --block 32x4 --arg signals=11 --arg n=150 --buffer x=4*signals*n --buffer y=4*signals*n
// params: x,y,signals,n
// expect-none
extern "C" __global__ void samples_until_a_delay(const float* x, float* y, int signals, int n)
{
    int signal = blockIdx.x * blockDim.y + threadIdx.y;
    if (signal >= signals)
        return;
    x += (size_t)signal * n;
    y += (size_t)signal * n;
    float kept = 0;
    for (int t = 0; t < n + 31; t++) {
        float now = t < n ? x[t] : 0.0f;
        kept = 0.5f * (now + kept);
        if (t >= 31)
            y[t - 31] = kept;
    }
}
