// Open addressing, linear probes round a table of 2^k slots.
// launch: --grid 2 --block 32 --arg n=1..50 --arg mask=0..127 --buffer keys=4*n --buffer slots=4*(mask+1)
// params: keys,slots,n,mask
// input: keys=arange:i4 slots=zeros:i4
// expect-none
extern "C" __global__ void hash_insert(const int* keys, int* slots, int n, unsigned mask)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int key = keys[i] | 1;
    unsigned s = key * 2654435769u & mask;
    for (unsigned tries = 0; tries <= mask; tries++) {
        int old = atomicCAS(&slots[s], 0, key);
        if (old == 0 || old == key) return;
        s = (s + 1) & mask;
    }
}
// contract: requires nctaid.x*ntid.x <= 2**31
// contract: keys = 4*n@4
// contract: slots = 4*mask + 4@4
