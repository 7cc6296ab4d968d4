// A window [first, last) of a vector, tested as one unsigned difference.
// launch: --grid 2 --block 64 --arg n=100 --arg first=20 --arg last=90 --buffer x=4*n --buffer y=4*n
// params: n,first,last,x,y
// expect-none
extern "C" __global__ void guard_on_an_index_range(unsigned n, unsigned first, unsigned last,
                                                   const float* x, float* y)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (last <= n && first <= last && i - first < last - first)
        y[i] = x[i];
}
