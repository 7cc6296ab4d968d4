// Barriers that count: how many, any, all.
// launch: --grid 1 --block 64 --buffer x=4*64 --buffer y=4*64
// params: x,y
// expect-none
extern "C" __global__ void counted_barriers(const int* x, int* y)
{
    int v = x[threadIdx.x];
    int many = __syncthreads_count(v > 2);
    int any = __syncthreads_or(v);
    int all = __syncthreads_and(v >= 0);
    y[threadIdx.x] = many + 2 * any + 4 * all;
}
