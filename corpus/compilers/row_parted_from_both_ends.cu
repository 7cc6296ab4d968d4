// A row is parted by a number, in place: each iteration moves one of two indices towards the other.
// launch: --grid 2 --block 32 --arg rows=50 --arg n=13 --buffer x=4*rows*n
// params: x,rows,n,number
extern "C" __global__ void row_parted_from_both_ends(float* x, int rows, int n, float number)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float* row = x + r * n;
    int first = 0, last = n - 1;
    while (first < last) {
        if (row[first] < number) {  // expect: uncoalesced-access
            first++;
        } else {
            float kept = row[first];
            row[first] = row[last];
            row[last] = kept;
            last--;
        }
    }
}
// contract: requires nctaid.x*ntid.x <= 2**31
// contract: x = 4*n*rows@4
