// A product with the weights of a group of channels, which blocks stage in dynamic shared memory.
// launch: --grid 4x3 --block 32x4 --shared 4*(outs//groups)*(ins//groups) --arg ins=12 --arg outs=18 --arg groups=3 --arg n=110
// launch: --buffer weights=4*outs*(ins//groups) --buffer x=4*ins*n --buffer y=4*outs*n
// params: weights,x,y,ins,outs,groups,n
// expect-none
extern "C" __global__ void weights_of_a_group_staged(
    const float* weights, const float* x, float* y, int ins, int outs, int groups, int n)
{
    extern __shared__ float own[];
    int in = ins / groups, out = outs / groups, group = blockIdx.y;
    for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < out * in; i += blockDim.x * blockDim.y)
        own[i] = weights[group * out * in + i];
    __syncthreads();
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n)
        return;
    for (int o = threadIdx.y; o < out; o += blockDim.y) {
        float sum = 0;
        for (int i = 0; i < in; i++)
            sum += own[o * in + i] * x[(size_t)(group * in + i) * n + at];
        y[(size_t)(group * out + o) * n + at] = sum;
    }
}
// contract: shared = 4*(ins//groups)*(outs//groups)
