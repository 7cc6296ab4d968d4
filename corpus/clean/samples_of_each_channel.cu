// Sums of so many samples each of a channel, of which those of one moment lie side by side: a pointer moves in both loops.
// launch: --grid 1 --block 64 --arg channels=40 --arg sums=6 --arg samples=5 --buffer x=4*40*6*5 --buffer y=4*40*6
// params: x,y,channels,sums,samples
// expect-none
extern "C" __global__ void samples_of_each_channel(const int* x, int* y, unsigned channels, unsigned sums, unsigned samples)
{
    unsigned channel = blockIdx.x * blockDim.x + threadIdx.x;
    if (channel >= channels) return;
    const int* from = x + channel;
    int* to = y + channel;
    for (unsigned left = sums; left != 0; --left) {
        int sum = 0;
        for (unsigned k = 0; k < samples; ++k, from += channels) sum += *from;
        *to = sum;
        to += channels;
    }
}
// contract: x = 4*channels*samples*sums@4
// contract: y = 4*channels*sums@4
