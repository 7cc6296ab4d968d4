// The low halves of eight bytes of a row become a word, stored at half of their index, which is signed.
// launch: --grid 4 --block 32 --arg cols=256 --buffer y=512 --buffer x=4*cols
// params: y,x,cols
// expect-none
extern "C" __global__ void fours_packed_in_bytes(unsigned char* y, const unsigned char* x, int cols)
{
    int at = blockIdx.x * cols + 8 * threadIdx.x;
    if (8 * threadIdx.x >= cols) return;
    uint2 eight = *reinterpret_cast<const uint2*>(x + at);
    *reinterpret_cast<unsigned*>(y + at / 2) = eight.x & 0x0f0f0f0fu | (eight.y & 0x0f0f0f0fu) << 4;
}
// contract: requires cols % 8 == 0
// contract: y = (cols*nctaid.x)//2@4
