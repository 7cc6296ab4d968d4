// What a fast division leaves of one of two indices, one of which is a sum of halves: each is bounded
// by what halves are, and so is what is left.
// launch: --grid 3 --block 256 --buffer x=1200 --buffer scale=760 --buffer y=1200 --arg cols=100 --arg turned=64 --arg by.0=613566757 --arg by.4=5 --arg by.8=28 --arg pitch=81
// params: x,scale,y,cols,turned,by,pitch
struct divisor {
    unsigned multiplier, shift, number;
};

extern "C" __global__ void scales_of_turned_halves(
    const float *x, const float *scale, float *y, int cols, int turned, divisor by, long long pitch)
{
    x += (long long)cols * blockIdx.x;
    y += (long long)cols * blockIdx.x;
#pragma unroll 1
    for (int i = 2 * threadIdx.x; i + 1 < cols; i += 512) {
        int second = i + 1;
        if (i < turned)
            second = i / 2 + turned / 2;
        unsigned times = (__umulhi(second, by.multiplier) + second) >> by.shift;
        float by_column = scale[pitch * blockIdx.x + (second - times * by.number)];
        y[second] = x[second] * by_column;  // expect: uncoalesced-access
    }
}
