// A block scales one group of the channels of all pixels: threads walk pixels and channels by a quotient and what it leaves.
// launch: --grid 4 --block 96 --arg pixels=1..90 --arg channels=128 --arg groups=4 --buffer x=4*pixels*channels --buffer scale=16
// params: x,scale,pixels,channels,groups
// expect-none
extern "C" __global__ void groups_of_channels(float* x, const float* scale, int pixels, int channels, int groups)
{
    const int own = channels / groups;
    for (int i = threadIdx.x; i < pixels * own; i += blockDim.x)
        x[(size_t)(i / own) * channels + blockIdx.x * own + i % own] *= scale[blockIdx.x];
}
// contract: requires (channels//groups)*pixels + ntid.x <= 2**31
// contract: x = 4*(channels//groups)*nctaid.x + 4*channels*pixels - 4*channels@4
