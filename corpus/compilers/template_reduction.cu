// A reduction made from a template over type and operator.
// launch: --grid 2 --block 128 --arg n=200 --buffer x=8*n --buffer y=16
// params: n,x,y
// expect-none
struct Larger { template <class T> __device__ T operator()(T a, T b) { return a < b ? b : a; } };
template <class T, class Op, int N> __device__ T reduce(T* s, T v, Op op)
{
    s[threadIdx.x] = v;
    __syncthreads();
#pragma unroll
    for (int d = N / 2; d > 0; d /= 2) {
        if (threadIdx.x < d)
            s[threadIdx.x] = op(s[threadIdx.x], s[threadIdx.x + d]);
        __syncthreads();
    }
    return s[0];
}
extern "C" __global__ void template_reduction(int n, const double* x, double* y)
{
    __shared__ double s[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double best = reduce<double, Larger, 128>(s, i < n ? x[i] : -1e300, Larger());
    if (threadIdx.x == 0)
        y[blockIdx.x] = best;
}
