// Channels less their mean, those of a block together: the number of blocks divides the channels.
// launch: --grid 4x3 --block 128 --arg channels=12 --arg area=169 --buffer x=4*channels*area*3 --buffer y=4*channels*area*3
// params: x,y,channels,area
// expect-none
extern "C" __global__ void channels_of_a_block(const float* x, float* y, int channels, int area)
{
    __shared__ float part[128];
    int own = channels / gridDim.x, n = own * area, t = threadIdx.x;
    size_t first = ((size_t)blockIdx.y * channels + blockIdx.x * own) * area;
    float sum = 0.0f;
    for (int i = t; i < n; i += 128) sum += x[first + i];
    part[t] = sum;
    __syncthreads();
    for (int half = 64; half; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    for (int i = t; i < n; i += 128) y[first + i] = x[first + i] - part[0] / n;
}
// contract: requires (channels//nctaid.x)*area <= 2**31 - 512
// contract: x = 4*(channels//nctaid.x)*area*nctaid.x + 4*area*channels*nctaid.y - 4*area*channels@4
