// The numbers that two sorted rows have in common are counted: each iteration moves on in one of them or in both.
// launch: --grid 2 --block 32 --arg rows=50 --arg m=9 --arg n=13 --buffer a=4*rows*m --buffer b=4*rows*n --buffer count=4*rows
// params: a,b,count,rows,m,n
extern "C" __global__ void numbers_in_both_rows(const int* a, const int* b, int* count, int rows, int m, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    int i = 0, j = 0, c = 0;
    while (i < m && j < n) {
        int x = a[r * m + i], y = b[r * n + j];  // expect: uncoalesced-access
        if (x < y) i++;
        else if (x > y) j++;
        else { c++; i++; j++; }
    }
    count[r] = c;
}
// contract: requires nctaid.x*ntid.x <= 2**31
// contract: a = 4*m*rows@4
// contract: b = 4*n*rows@4
// contract: count = 4*rows@4
