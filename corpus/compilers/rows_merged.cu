// A thread merges two sorted rows: what one of two predicates moves on in the one row, the other one does in the other.
// launch: --grid 2 --block 32 --arg rows=50 --arg m=9 --arg n=13 --buffer a=4*rows*m --buffer b=4*rows*n --buffer merged=4*rows*(m+n)
// params: a,b,merged,rows,m,n
extern "C" __global__ void rows_merged(const float* a, const float* b, float* merged, int rows, int m, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    a += r * m;
    b += r * n;
    merged += r * (m + n);
    int i = 0, j = 0, k = 0;
    while (i < m && j < n) merged[k++] = a[i] <= b[j] ? a[i++] : b[j++];  // expect: uncoalesced-access
#pragma unroll 1
    while (i < m) merged[k++] = a[i++];
#pragma unroll 1
    while (j < n) merged[k++] = b[j++];  // expect: uncoalesced-access
}
// contract: requires m >= 0
// contract: a = 4*m*rows@4
// contract: b = 4*n*rows@4
// contract: merged = 4*m*rows + 4*n*rows@4
