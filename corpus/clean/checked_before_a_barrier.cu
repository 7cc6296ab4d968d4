// Threads check their index and trap before a barrier: either all come to it, or the launch ends.
// launch: --grid 8 --block 128 --arg n=1000 --buffer at=4096 --values at=0..n-1:s32 --buffer x=4*n --buffer y=4096
// params: at,x,y,n
// input: at=zeros:i4
// expect-none
extern "C" __global__ void checked_before_a_barrier(const int *at, const float *x, float *y, int n)
{
    __shared__ float tile[128];
    int t = threadIdx.x & 127, i = blockIdx.x * 128 + t, j = at[i];
    if (j < 0 || j >= n)
        __trap();
    tile[t] = x[j];
    __syncthreads();
    y[i] = tile[t ^ 1];
}
