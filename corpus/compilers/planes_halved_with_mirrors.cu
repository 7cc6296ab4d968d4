// Sums over three by three pixels around every other one, or so many apart, of planes that are mirrored at their ends.
// launch: --grid 4x2 --block 32 --arg h=11 --arg w=13 --arg oh=6 --arg ow=7 --arg step=2
// launch: --buffer x=8*h*w --buffer y=8*oh*ow
// params: x,y,h,w,oh,ow,step
__device__ __forceinline__ int mirrored(int i, int n)
{
    i = i < 0 ? -i : i;
    return i >= n ? 2 * (n - 1) - i : i;
}

extern "C" __global__ void planes_halved_with_mirrors(const float* x, float* y, int h, int w, int oh, int ow, int step)
{
    const float* plane = x + (size_t)blockIdx.y * h * w;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < oh * ow; i += gridDim.x * blockDim.x) {
        const int column = i % ow, row = i / ow;
        float sum = 0;
        for (int a = -1; a <= 1; ++a)
            for (int b = -1; b <= 1; ++b)
                sum += plane[mirrored(row * step + a, h) * w + mirrored(column * step + b, w)];  // expect: uncoalesced-access
        y[(size_t)blockIdx.y * oh * ow + i] = sum;
    }
}
// contract: requires ow*step + 3 <= step + 2*w
// contract: x = 4*h*nctaid.y*w@4
// contract: y = 4*nctaid.y*oh*ow@4
