// Signs of a vector as bits: every warp votes, its first lane stores the word.
// launch: --grid 2 --block 64 --arg n=100 --buffer x=4*n --buffer words=4*4
// params: n,x,words
// expect-none
extern "C" __global__ void bits_packed_by_ballot(int n, const float* x, unsigned* words)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned votes = __ballot_sync(0xffffffffu, i < n && x[i] < 0.0f);
    if ((threadIdx.x & 31) == 0 && i < n)
        words[i / 32] = votes;
}
