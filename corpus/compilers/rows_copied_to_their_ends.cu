// Rows of a pitch of 64 bits, each copied by two pointers until one is at its end.
// launch: --grid 2 --block 32 --arg rows=50 --arg n=21 --arg pitch=24 --buffer x=4*((rows-1)*pitch+n) --buffer y=4*((rows-1)*pitch+n)
// params: x,y,rows,n,pitch
extern "C" __global__ void rows_copied_to_their_ends(const float* x, float* y, int rows, int n, unsigned long long pitch)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float *from = x + row * pitch, *end = from + n;
    float* to = y + row * pitch;
    while (from < end) *to++ = *from++;  // expect: uncoalesced-access
}
// contract: requires pitch >= 0
// contract: x = 4*pitch*rows + 4*n - 4*pitch@4
// contract: y = 4*pitch*rows + 4*n - 4*pitch@4
