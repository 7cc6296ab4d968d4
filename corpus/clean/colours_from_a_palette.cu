// Colours of numbers by a palette of 16, the float that chooses one is clamped.
// launch: --grid 2 --block 64 --arg n=100 --buffer palette=64 --buffer x=4*n --buffer out=4*n
// params: palette,x,out,n
// expect-none
extern "C" __global__ void colours_from_a_palette(const float* palette, const float* x, float* out,
                                                  int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = palette[(int)fminf(fmaxf(x[i] * 16, 0), 15)];
}
// contract: requires nctaid.x*ntid.x <= 2**31
// contract: palette = 64@4
