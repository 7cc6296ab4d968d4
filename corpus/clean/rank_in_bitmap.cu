// How many bits are set before a place: words, a count of each, popc of the rest.
// launch: --grid 3 --block 32 --arg n=1..90 --arg bits=32..200 --buffer "q=4*n holds 0..bits-1:u32" --buffer "words=4*((bits+31)//32)" --buffer "before=4*((bits+31)//32)" --buffer r=4*n
// params: q,words,before,r,n,bits
// input: q=arange:i4
// expect-none
extern "C" __global__ void rank_in_bitmap(const unsigned* q, const unsigned* words,
    const unsigned* before, unsigned* r, int n, int bits)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned at = q[i];
    r[i] = before[at >> 5] + __popc(words[at >> 5] & ((1u << (at & 31)) - 1));
}
