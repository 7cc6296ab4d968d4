// Sets the words of a table that keys fall into; the host gives the mask, one less than the power of two of its words.
// launch: --grid 3 --block 64 --arg n=150 --arg mask=63 --buffer keys=600 --buffer table=256
// params: keys,table,n,mask
// expect-none
extern "C" __global__ void flag_by_a_mask(const unsigned* keys, unsigned* table, int n, unsigned mask)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned at = (keys[i] * 40503u) & mask;
    atomicOr(&table[at], 1u);
}
// contract: requires nctaid.x*ntid.x <= 2**31
// contract: keys = 4*n@4
// contract: table = 4*mask + 4@4
