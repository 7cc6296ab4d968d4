// Inclusive prefix sums in shared memory: the distance doubles, two rows take turns.
// launch: --grid 2 --block 128 --arg n=250 --buffer x=4*n --buffer y=4*n
// params: n,x,y
// expect-none
extern "C" __global__ void loop_doubling_scan(int n, const int* x, int* y)
{
    __shared__ int rows[2][128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t, from = 0;
    rows[0][t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int d = 1; d < 128; d <<= 1) {
        rows[1 - from][t] = rows[from][t] + (t >= d ? rows[from][t - d] : 0);
        from = 1 - from;
        __syncthreads();
    }
    if (i < n)
        y[i] = rows[from][t];
}
