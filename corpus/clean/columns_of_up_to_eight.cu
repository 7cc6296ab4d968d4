// Columns of up to eight elements, kept in registers, less their mean.
// launch: --grid 2 --block 32 --arg height=5 --arg n=50 --arg pitch=64 --buffer x=4*((height-1)*pitch+n)
// params: x,height,n,pitch
// expect-none
extern "C" __global__ void columns_of_up_to_eight(float* x, int height, int n, int pitch)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= n) return;
    float kept[8], sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        kept[i] = i < height ? x[(size_t)i * pitch + column] : 0.0f;
        sum += kept[i];
    }
    sum /= height;
#pragma unroll
    for (int i = 0; i < 8; i++)
        if (i < height) x[(size_t)i * pitch + column] = kept[i] - sum;
}
// contract: requires pitch >= 0
// contract: x = min(4*n + 28*pitch, 4*height*pitch + 4*n - 4*pitch)@4
