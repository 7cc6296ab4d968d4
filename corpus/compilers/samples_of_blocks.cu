// Blocks of bytes hold a sample and two for each byte behind the first four.
// launch: --grid 1 --block 32 --arg blocks=20 --arg size=36 --buffer bytes=720 --buffer y=2600
// params: bytes,y,blocks,size
extern "C" __global__ void samples_of_blocks(const unsigned char* bytes, short* y, int blocks, int size)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= blocks) return;
    const unsigned char* from = bytes + (size_t)b * size;
    int samples = 1 + 2 * (size - 4);
    short* to = y + (size_t)b * samples;
    *to++ = from[0];  // expect: uncoalesced-access
    for (int k = 4; k < size; ++k) {
        *to++ = from[k] & 15;  // expect: uncoalesced-access
        *to++ = from[k] >> 4;  // expect: uncoalesced-access
    }
}
// contract: requires size >= 4
// contract: y = 4*blocks*size - 14*blocks@2
