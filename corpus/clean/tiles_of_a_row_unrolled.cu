// A row by tiles of 32, as many as hold it, unrolled by four by the compiler: it ends with the last of these.
// launch: --grid 1 --block 32 --arg n=150 --buffer x=4*160 --buffer y=4*32
// params: x,y,n
// expect-none
extern "C" __global__ void tiles_of_a_row_unrolled(const float* x, float* y, int n)
{
    float sum = 0;
    for (int tile = 0; tile < (n + 31) / 32; ++tile)
        sum += x[tile * 32 + threadIdx.x];
    y[threadIdx.x] = sum;
}
// contract: requires n <= 2**31 - 32
// contract: x = 128*((n + 31)//32) + 4*ntid.x - 128@4
