// Each thread counts in bytes of its own, four threads to a word: parts of its index change places.
// launch: --grid 2 --block 64 --arg n=100 --buffer x=400 --buffer y=128
// params: n,x,y
// expect-none
extern "C" __global__ void bytes_of_permuted_threads(unsigned n, const unsigned *x, unsigned char *y)
{
    __shared__ unsigned char s[64 * 16];
    unsigned t = threadIdx.x;
    unsigned char *own = s + ((t & ~63u) | (t & 15u) << 2 | (t & 48u) >> 4);
    for (int k = 0; k < 16; k++)
        own[64 * k] = 0;
    for (unsigned i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x)
        own[64 * (x[i] & 15u)]++;
    y[blockIdx.x * 64 + t] = own[64 * (t & 15u)];
}
// contract: requires ntid.x <= 64
// contract: x = 4*n@4
