// Rows of tokens are packed into blocks of some tokens: of each head eight numbers of a token lie together.
// launch: --grid 21 --block 64 --arg size=16 --arg heads=3 --arg width=28 --buffer packed=6144 --buffer row=3528
// params: packed,row,size,heads,width
extern "C" __global__ void heads_packed_in_eights(short* packed, const short* row, int size, int heads, int width)
{
    const int token = blockIdx.x, block = token / size, place = token % size;
    for (int i = threadIdx.x; i < heads * width; i += blockDim.x) {
        const int head = i / width, at = i % width, groups = (width + 7) / 8;
        packed[((block * heads + head) * groups + at / 8) * size * 8 + place * 8 + at % 8] = row[token * heads * width + i]; // expect: uncoalesced-access
    }
}
// contract: requires width >= 1
// contract: row = 2*heads*nctaid.x*width@2
