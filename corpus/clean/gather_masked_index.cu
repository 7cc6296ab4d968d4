// A table of 256 entries addressed by a byte of each word.
// launch: --grid 2 --block 64 --arg n=100 --buffer x=4*n --buffer y=4*n
// params: n,x,y
// expect-none
__device__ unsigned substitution[256];
extern "C" __global__ void gather_masked_index(int n, const unsigned* x, unsigned* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = substitution[x[i] & 0xff] ^ substitution[x[i] >> 24];
}
