// Codes of four bits, 32 in a block behind its scale: each thread takes two, 16 apart.
// launch: --grid 9 --block 64 --arg n=1120 --buffer blocks=20*(n//32) --buffer y=4*n
// params: blocks,y,n
// expect-none
struct Codes {
    float scale;
    unsigned char pairs[16];
};

extern "C" __global__ void codes_of_four_bits_in_blocks(const Codes* blocks, float* y, long long n)
{
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * i >= n) return;
    long long block = i / 16;
    int at = i % 16;
    unsigned char pair = blocks[block].pairs[at];
    y[32 * block + at] = (pair & 15) * blocks[block].scale;
    y[32 * block + at + 16] = (pair >> 4) * blocks[block].scale;
}
// contract: blocks = ((n - 1)//2) + 4*((n - 1)//32) + 5@4
// contract: y = 4*((n - 1)//2) + 64*((n - 1)//32) + 68@4
