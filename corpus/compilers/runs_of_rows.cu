// Run lengths: a thread writes the value and the length of each run of a row, no more than the row has elements.
// launch: --grid 2 --block 32 --arg rows=50 --arg n=13 --buffer x=4*rows*n --buffer values=4*rows*n --buffer lengths=4*rows*n
// params: x,values,lengths,rows,n
extern "C" __global__ void runs_of_rows(const int* x, int* values, int* lengths, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    const int* row = x + r * n;
    int k = 0, i = 0;
    while (i < n) {
        int j = i + 1;
        while (j < n && row[j] == row[i]) j++;  // expect: uncoalesced-access
        values[r * n + k] = row[i];  // expect: uncoalesced-access
        lengths[r * n + k] = j - i;  // expect: uncoalesced-access
        k++;
        i = j;
    }
}
// contract: requires n*rows <= 2**31
// contract: x = 4*n*rows@4
// contract: values = 4*n*rows@4
// contract: lengths = 4*n*rows@4
