// The lanes of a warp add up a row of bytes, four at a time; each group of 32 bytes has a scale.
// launch: --grid 3 --block 64 --arg rows=1..6 --arg columns=640 --buffer x=rows*columns@4 --buffer scale=4*rows*(columns//32) --buffer sums=128*rows
// params: x,scale,sums,rows,columns
// expect-none
extern "C" __global__ void scales_of_groups_in_rows(const uchar4* x, const float* scale, float* sums, int rows, int columns)
{
    const int row = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5), lane = threadIdx.x & 31;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = lane; i < columns / 4; i += 32) {
        const uchar4 four = x[row * (columns / 4) + i];
        sum += scale[row * (columns / 32) + (i >> 3)] * (four.x + four.y + four.z + four.w);
    }
    sums[32 * row + lane] = sum;
}
// contract: requires rows <= 2**26
// contract: scale = 4*(columns//32)*rows + 4*(((columns//4) + 7)//8) - 4*(columns//32)@4
