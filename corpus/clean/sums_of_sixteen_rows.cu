// A block adds 16 rows, column by column; the last block's rows end with the group, not with m.
// launch: --grid 2,6 --block 32 --arg m=96 --arg k=64 --buffer a=4*m*k --buffer sum=m//4*k
// params: a,sum,m,k
// expect-none
extern "C" __global__ void sums_of_sixteen_rows(const float* a, float* sum, int m, int k)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, group = blockIdx.y;
    if (16 * group >= m || column >= k)
        return;
    float all = 0;
    for (int r = 0; r < 16; r++)
        all += a[(16 * group + r) * k + column];
    sum[group * k + column] = all;
}
// contract: requires k*m <= 2**31
// contract: a = 64*((m + 15)//16)*k@4
// contract: sum = 4*((m + 15)//16)*k@4
