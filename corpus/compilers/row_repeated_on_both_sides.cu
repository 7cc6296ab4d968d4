// A row repeated on both sides: the divisor is what is left of the row between its borders.
// launch: --grid 3 --block 64 --arg n=150 --arg left=30 --arg right=20 --buffer x=4*(n-left-right) --buffer y=4*n
// params: x,y,n,left,right
extern "C" __global__ void row_repeated_on_both_sides(const float* x, float* y, int n, int left, int right)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int inner = n - left - right;
    y[i] = x[(i - left + inner) % inner];  // expect: uncoalesced-access
}
// contract: requires left + right + 1 <= n
// contract: x = 4*n - 4*left - 4*right@4
// contract: y = 4*n@4
