// Each segment of a block is scanned behind as many zeros: where it begins is the thread without the bits below a power of two.
// launch: --grid 2 --block 128 --arg length=64 --buffer x=1024
// params: x,length
// expect-none
extern "C" __global__ void scan_of_segments(unsigned* x, unsigned length)
{
    __shared__ volatile unsigned sums[256];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    unsigned at = 2 * t - (t & (length - 1));
    sums[at] = 0;
    at += length;
    sums[at] = x[i];
    for (unsigned back = 1; back < length; back <<= 1) {
        __syncthreads();
        unsigned sum = sums[at] + sums[at - back];
        __syncthreads();
        sums[at] = sum;
    }
    x[i] = sums[at];
}
// contract: requires ((ntid.x - 1)//length)*length + length <= 128
// contract: x = 4*nctaid.x*ntid.x@4
