// The words of a vector of four behind an offset, by a loop unrolled by sixteen; how many there are is a parameter or follows.
// launch: --grid 1 --block 1 --arg n=0 --arg offset=1 --arg left=3 --buffer x=16 --buffer y=16
// params: x,y,n,offset,left
// expect-none
extern "C" __global__ void words_behind_an_offset(const int4 *x, int *y, long n, long offset, long left)
{
    int4 all = *x;
    int word[4] = {all.x, all.y, all.z, all.w};
    int count = n == 0 ? left : 4 - offset;
#pragma unroll 16
    for (int k = 0; k < count; k++)
        y[k] = word[offset + k];
}
// contract: requires left + offset <= 4
// contract: x = 16@16
// contract: y = 16 - 4*offset@4
