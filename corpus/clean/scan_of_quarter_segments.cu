// Each thread has four numbers of a segment, so a quarter of its length must be a power of two.
// launch: --grid 2 --block 128 --arg length=512 --buffer x=4096
// params: x,length
// expect-none
extern "C" __global__ void scan_of_quarter_segments(uint4* x, unsigned length)
{
    __shared__ volatile unsigned sums[256];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t, quarter = length / 4;
    uint4 own = x[i];
    unsigned at = 2 * t - (t & (quarter - 1));
    sums[at] = 0;
    at += quarter;
    sums[at] = own.x + own.y + own.z + own.w;
    for (unsigned back = 1; back < quarter; back <<= 1) {
        __syncthreads();
        unsigned sum = sums[at] + sums[at - back];
        __syncthreads();
        sums[at] = sum;
    }
    own.w += sums[at];
    x[i] = own;
}
// contract: requires ((ntid.x - 1)//(length//4))*(length//4) + (length//4) <= 128
// contract: x = 16*nctaid.x*ntid.x@16
