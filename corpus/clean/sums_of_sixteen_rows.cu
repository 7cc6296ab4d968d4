// A thread adds the first elements of 16 rows; the last thread's rows end with the group, not with m.
// launch: --grid 1 --block 32 --arg m=96 --arg k=8 --buffer a=4*m*k --buffer sum=m//4
// params: a,sum,m,k
// expect-none
extern "C" __global__ void sums_of_sixteen_rows(const float* a, float* sum, int m, int k)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (16 * t >= m)
        return;
    float all = 0;
    for (int r = 0; r < 16; r++)
        all += a[(16 * t + r) * k];
    sum[t] = all;
}
