// One diagonal of the table of a string distance: three guards bound the row, and what words say of the width bounds the product.
// launch: --grid 1 --block 32 --arg n=40 --arg m=35 --arg diagonal=36 --buffer a=n --buffer b=m --buffer table=4*(n+1)*(m+1)
// params: a,b,table,n,m,diagonal
extern "C" __global__ void diagonal_of_a_table(const char* a, const char* b, int* table, int n, int m, int diagonal)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x + 1, column = diagonal - row;
    if (row > n || column < 1 || column > m) return;
    int width = m + 1;
    int changed = table[(row - 1) * width + column - 1] + (a[row - 1] != b[column - 1]); // expect: uncoalesced-access
    int moved = min(table[(row - 1) * width + column], table[row * width + column - 1]) + 1; // expect: uncoalesced-access
    table[row * width + column] = min(changed, moved); // expect: uncoalesced-access
}
// contract: requires nctaid.x*ntid.x <= 2**31 - 1
// contract: table = 4*m*n + 4*diagonal + 4@4
// contract: b = m@1
