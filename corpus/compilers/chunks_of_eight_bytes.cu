// A chunk of each thread by eight bytes, of which a loop counts down an eighth of its length.
// launch: --grid 1 --block 64 --arg chunks=50 --arg length=24 --buffer x=50*24@8 --buffer y=4*50
// params: x,y,chunks,length
extern "C" __global__ void chunks_of_eight_bytes(const unsigned char *x, unsigned *y, int chunks, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= chunks) return;
    const uint2 *at = reinterpret_cast<const uint2 *>(x + (size_t)i * length);
    unsigned sum = 0;
    for (int left = length >> 3; left; --left) {
        uint2 two = *at++;  // expect: uncoalesced-access
        sum = sum * 31 + (two.x ^ two.y);
    }
    y[i] = sum;
}
// contract: requires length % 8 == 0
// contract: x = chunks*length@8
