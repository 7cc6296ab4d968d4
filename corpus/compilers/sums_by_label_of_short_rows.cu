// A warp adds a row to the sums of its label, with a lane for each element: a row has no more than 32. The
// sums end with the row of the greatest label, not with its warp.
// launch: --grid 5 --block 256 --arg n=37 --arg dims=20 --buffer sums=4*9*dims --buffer label=4*n --values label=0..8:s32 --buffer x=4*n*dims
// params: sums,label,x,n,dims
// expect-none
extern "C" __global__ void sums_by_label_of_short_rows(float* sums, const int* label, const float* x, int n, int dims)
{
    int i = blockIdx.x * 8 + threadIdx.x / 32;
    int at = threadIdx.x % 32;
    if (i < n && at < dims)
        atomicAdd(&sums[label[i] * dims + at], x[i * dims + at]);
}
// contract: sums = min(4*dims*label.max + 128, 4*dims*label.max + 4*dims)@4
