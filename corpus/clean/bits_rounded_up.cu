// A loop to the next multiple of 32, so that whole warps vote; a guard inside covers the rest.
// launch: --grid 1 --block 64 --arg n=150 --buffer x=4*n --buffer count=4
// params: n,x,count
// expect-none
extern "C" __global__ void bits_rounded_up(int n, const int* x, int* count)
{
    int rounded = (n + 31) & ~31, positive = 0;
    for (int i = threadIdx.x; i < rounded; i += blockDim.x)
        positive += __popc(__ballot_sync(0xffffffffu, i < n && x[i] > 0));
    if ((threadIdx.x & 31) == 0)
        atomicAdd(count, positive);
}
