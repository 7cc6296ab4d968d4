// A symmetric rank-2 update of what is below the diagonal, packed by columns, as in BLAS.
// launch: --grid 3x9 --block 32x8 --arg n=69 --buffer a=8*(n*(n+1)//2) --buffer x=8*n --buffer y=8*n
// params: a,x,y,n,alpha
// expect-none
extern "C" __global__ void rank_two_update_packed(double* a, const double* x, const double* y, int n,
                                                  double alpha)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j > i)
        return;
    a[i + j * (2 * n - j - 1) / 2] += alpha * (x[i] * y[j] + y[i] * x[j]);
}
// contract: requires n*n <= n + 2**31 - 1
// contract: a = 8*((n*n + n)//2)@8
// contract: x = 8*n@8
// contract: y = 8*n@8
