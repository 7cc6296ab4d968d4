// An index is taken apart by products of extents, and put together again; the diagonal is written.
// launch: --grid 2 --block 64 --arg a=5 --arg b=5 --arg c=2 --arg n=100 --buffer x=4*20 --buffer y=4*100
// params: y,x,a,b,c,n
// expect-none
extern "C" __global__ void index_of_three_axes(float *y, const float *x, long a, long b, long c, long n)
{
    const long i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const long i0 = i % a, i1 = i / a % b, i2 = i / (a * b) % c, i3 = i / (a * b * c);
    y[((i3 * c + i2) * b + i1) * a + i0] = i0 == i1 ? x[(i3 * c + i2) * a + i0] : 0;
}
// contract: requires a*b*c <= 2**63 - 1
// contract: y = 4*n@4
// contract: x = 4*((n - 1)//(a*b))*a + 4*a@4
