// A scan of a quarter of the elements in each segment: the distance doubles while it is less than a
// quotient, which the guard before the loop bounds by the number that it divides.
// launch: --grid 3 --block 64 --arg size=256 --buffer x=768 --buffer y=768
// params: size,x,y
// expect-none
extern "C" __global__ void scan_of_quarters(unsigned size, const int *x, int *y)
{
    __shared__ int s[192];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, quarter = size / 4;
    unsigned at = 2 * threadIdx.x - (threadIdx.x & (quarter - 1));
    s[at] = 0;
    s[at += quarter] = x[i];
    for (unsigned d = 1; d < quarter; d <<= 1) {
        __syncthreads();
        int sum = s[at] + s[at - d];
        __syncthreads();
        s[at] = sum;
    }
    y[i] = s[at];
}
// contract: requires 8*ntid.x + size <= 775
// contract: x = 4*nctaid.x*ntid.x@4
