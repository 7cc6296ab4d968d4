// A thread keeps the positive numbers of a row in order, and counts them: no more than the row has.
// launch: --grid 2 --block 32 --arg rows=50 --arg n=13 --buffer x=4*rows*n --buffer kept=4*rows*n --buffer count=4*rows
// params: x,kept,count,rows,n
extern "C" __global__ void numbers_kept_in_rows(const float* x, float* kept, int* count, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    int c = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        float v = x[r * n + i];  // expect: uncoalesced-access
        if (v > 0) kept[r * n + c++] = v;
    }
    count[r] = c;
}
// contract: requires n*rows <= 2**31
// contract: x = 4*n*rows@4
// contract: kept = 4*n*rows@4
// contract: count = 4*rows@4
