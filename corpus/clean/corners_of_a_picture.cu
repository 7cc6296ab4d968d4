// A picture with a pitch is made larger: four neighbours of a place that floats give, clamped to the last ones.
// launch: --grid 1x2 --block 16x4 --arg height=5 --arg width=7 --arg pitch=9 --arg sh=0.5 --arg sw=0.5 --arg oh=8 --arg ow=13 --buffer x=172 --buffer y=416
// params: y,x,height,width,pitch,oh,ow,sh,sw
// expect-none
extern "C" __global__ void corners_of_a_picture(float* y, const float* x, int height, int width, long long pitch, int oh, int ow,
                                                float sh, float sw)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c >= ow || r >= oh) return;
    const int r0 = min((int)fmaxf((r + 0.5f) * sh - 0.5f, 0.f), height - 1), r1 = r0 + (r0 < height - 1 ? 1 : 0);
    const int c0 = min((int)fmaxf((c + 0.5f) * sw - 0.5f, 0.f), width - 1), c1 = c0 + (c0 < width - 1 ? 1 : 0);
    y[r * ow + c] = x[r0 * pitch + c0] + x[r0 * pitch + c1] + x[r1 * pitch + c0] + x[r1 * pitch + c1];
}
// contract: requires width >= 1
// contract: x = 4*height*pitch + 4*width - 4*pitch@4
// contract: y = 4*oh*ow@4
