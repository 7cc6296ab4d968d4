// A warp adds up a row of words; four words after each other have a scale, so that a row ends with a whole group of them.
// launch: --grid 3 --block 128 --arg rows=9 --arg words=40 --buffer w=4*rows*words --buffer scale=4*rows*(words//4) --buffer sums=4*rows
// params: w,scale,sums,rows,words
// expect-none
extern "C" __global__ void scale_of_four_words(const int* __restrict__ w, const float* __restrict__ scale, float* sums,
                                               int rows, int words)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (row >= rows)
        return;
    const int* own = w + (size_t)row * words;
    const float* of_row = scale + (size_t)row * (words / 4);
    float sum = 0;
#pragma unroll 2
    for (int k = lane; k < words; k += 32)
        sum += own[k] * of_row[k >> 2];
    for (int apart = 16; apart > 0; apart >>= 1)
        sum += __shfl_down_sync(0xffffffffu, sum, apart);
    if (lane == 0)
        sums[row] = sum;
}
// contract: requires words <= 2**31 - 64
// contract: scale = 4*(words//4)*rows + 4*((words + 3)//4) - 4*(words//4)@4
