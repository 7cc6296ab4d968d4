// Rows of bits become columns: a word has the bits of 32 rows, and each column as many words as that takes.
// launch: --grid 5,2 --block 32,4 --arg rows=200 --buffer "out=4*5*32*((rows+31)//32)"
// params: out,rows
extern "C" __global__ void words_of_bits_turned(unsigned* out, unsigned rows)
{
    unsigned words = (rows + 31) / 32;
    unsigned word = blockIdx.y * blockDim.y + threadIdx.y;
    if (word >= words) return;
    out[(blockIdx.x * 32 + threadIdx.x) * words + word] = word + threadIdx.x;  // expect: uncoalesced-access
}
// contract: out = 128*((rows + 31)//32)*nctaid.x + 4*((rows + 31)//32)*ntid.x - 128*((rows + 31)//32)@4
