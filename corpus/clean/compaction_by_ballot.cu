// The non-zero elements of each warp's 32 words move to its front: places are counted votes.
// launch: --grid 2 --block 64 --buffer x=4*128 --buffer y=4*128 --buffer counts=4*4
// params: x,y,counts
// expect-none
extern "C" __global__ void compaction_by_ballot(const int* x, int* y, int* counts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    int value = x[i];
    unsigned votes = __ballot_sync(0xffffffffu, value != 0);
    int place = __popc(votes & ((1u << lane) - 1));
    if (value != 0)
        y[(i & ~31) + place] = value;
    if (lane == 0)
        counts[i >> 5] = __popc(votes);
}
