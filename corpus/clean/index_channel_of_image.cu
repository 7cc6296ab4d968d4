// A bias for each channel of a batch of images: two divisions find the channel.
// launch: --grid 4 --block 64 --arg batch=2 --arg channels=3 --arg area=40 --buffer bias=4*channels --buffer x=4*batch*channels*area
// params: batch,channels,area,bias,x
// expect-none
extern "C" __global__ void index_channel_of_image(int batch, int channels, int area,
                                                  const float* __restrict__ bias,
                                                  float* __restrict__ x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= batch * channels * area)
        return;
    int channel = i / area % channels;
    x[i] += __ldg(&bias[channel]);
}
