// A filter for each channel: its taps lie a row of channels apart, and the loop ends at a pointer behind the last row.
// launch: --grid 2 --block 64 --arg channels=100 --arg taps=7 --buffer x=4*taps*channels --buffer weight=4*taps*channels --buffer y=4*channels
// params: x,weight,y,channels,taps
// expect-none
extern "C" __global__ void taps_to_an_end(const float* x, const float* weight, float* y, int channels, int taps)
{
    int channel = blockIdx.x * blockDim.x + threadIdx.x;
    if (channel >= channels) return;
    const float* end = weight + taps * channels;
    const float* from = x + channel;
    float sum = 0;
    for (const float* at = weight + channel; at < end; at += channels, from += channels) sum += *at * *from;
    y[channel] = sum;
}
// contract: requires channels*taps <= 2**31 - 1
// contract: x = 4*channels*taps@4
// contract: weight = 4*channels*taps@4
