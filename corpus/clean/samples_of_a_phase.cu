// A signal resampled at a rational rate: an output has a phase, whose taps run back through the input.
// launch: --grid 1 --block 32 --arg n=40 --arg outputs=60 --arg up=3 --arg down=2 --arg taps=5 --buffer x=4*n --buffer h=4*up*taps --buffer y=4*outputs
// params: x,h,y,n,outputs,up,down,taps
// expect-none
extern "C" __global__ void samples_of_a_phase(const float* x, const float* h, float* y, int n, int outputs,
                                              int up, int down, int taps)
{
    for (int o = blockIdx.x * blockDim.x + threadIdx.x; o < outputs; o += blockDim.x * gridDim.x) {
        const long long position = (long long)o * down;
        const int first = (int)(position / up);
        const float* weight = h + (int)(position % up);
        float sum = 0;
        for (int t = 0; t < taps; ++t, weight += up) {
            const int i = first - t;
            if (i < 0) break;
            if (i < n) sum += *weight * x[i];
        }
        y[o] = sum;
    }
}
// contract: requires down >= 0
// contract: x = 4*n@4
// contract: h = 4*taps*up@4
// contract: y = 4*outputs@4
