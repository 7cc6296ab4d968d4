// A volume of any strides is made larger: eight neighbours of a place that floats give, clamped to the last ones.
// launch: --grid 1x2x5 --block 16x4 --arg depth=3 --arg height=5 --arg width=7 --arg plane=35 --arg row=7 --arg sd=0.5 --arg sh=0.5 --arg sw=0.5 --arg od=5 --arg oh=8 --arg ow=13 --buffer x=420 --buffer y=2080
// params: y,x,depth,height,width,plane,row,od,oh,ow,sd,sh,sw
// expect-none
extern "C" __global__ void corners_of_a_volume(float* y, const float* x, int depth, int height, int width, long long plane,
                                               long long row, int od, int oh, int ow, float sd, float sh, float sw)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y, d = blockIdx.z;
    if (c >= ow || r >= oh || d >= od) return;
    const int d0 = min((int)fmaxf((d + 0.5f) * sd - 0.5f, 0.f), depth - 1), d1 = d0 + (d0 < depth - 1 ? 1 : 0);
    const int r0 = min((int)fmaxf((r + 0.5f) * sh - 0.5f, 0.f), height - 1), r1 = r0 + (r0 < height - 1 ? 1 : 0);
    const int c0 = min((int)fmaxf((c + 0.5f) * sw - 0.5f, 0.f), width - 1), c1 = c0 + (c0 < width - 1 ? 1 : 0);
    float sum = 0;
    sum += x[d0 * plane + r0 * row + c0] + x[d0 * plane + r0 * row + c1];
    sum += x[d0 * plane + r1 * row + c0] + x[d0 * plane + r1 * row + c1];
    sum += x[d1 * plane + r0 * row + c0] + x[d1 * plane + r0 * row + c1];
    sum += x[d1 * plane + r1 * row + c0] + x[d1 * plane + r1 * row + c1];
    y[(d * oh + r) * ow + c] = sum;
}
