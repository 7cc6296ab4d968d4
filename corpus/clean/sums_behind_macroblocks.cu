// Sums of pairs of an image's macroblocks, 1096 words each, behind 25 such for each of its macroblocks.
// launch: --grid 3x2 --block 32 --arg width=3 --arg height=2 --buffer sad=2*1096*27*6
// params: sad,width,height
// expect-none
extern "C" __global__ void sums_behind_macroblocks(unsigned short* sad, int width, int height)
{
    int block = blockIdx.y * width + blockIdx.x;
    unsigned short* sum = sad + width * height * 25 * 1096 + block * 2 * 1096;
    for (int i = threadIdx.x; i < 1096; i += 32) {
        unsigned short first = sad[block * 2 * 1096 + i], second = sad[(block * 2 + 1) * 1096 + i];
        sum[i] = first + second;
    }
}
// contract: requires height*width <= 78375
// contract: sad = max(4384*nctaid.y*width + 4384*nctaid.x - 4384*width, 4384*nctaid.y*width + 54800*height*width + 4384*nctaid.x - 4384*width - 2192)@2
