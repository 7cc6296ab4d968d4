// A row is scaled by weights that repeat, by a loop that nvcc unrolls by four behind its remainder: what the division leaves lies below its dividend.
// launch: --grid 3 --block 32 --arg n=300 --arg m=40 --buffer x=4*900 --buffer weight=4*40 --buffer y=4*900
// params: n,m,x,weight,y
// expect-none
extern "C" __global__ void row_scaled_by_a_ring(int n, unsigned m, const float *x, const float *weight, float *y)
{
    for (int i = threadIdx.x; i < n; i += 32) {
        int k = (unsigned)i % m;
        y[blockIdx.x * n + i] = weight[k] * x[blockIdx.x * n + i];
    }
}
// contract: requires n <= 2**31 - 128
// contract: weight = 4*m@4
// contract: y = 4*n*nctaid.x@4
