// Counts by order of magnitude: the place of the highest bit is the bin.
// launch: --grid 2 --block 64 --arg n=120 --buffer x=4*n --buffer counts=4*32
// params: n,x,counts
// expect-none
extern "C" __global__ void bits_of_a_logarithm(int n, const unsigned* x, unsigned* counts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&counts[31 - __clz(x[i] | 1)], 1u);
}
