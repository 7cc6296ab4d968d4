// The squares of one colour of a board, half as many columns as it has: each adds the one above, around the edge.
// launch: --grid 4 --block 128 --arg rows=22 --arg columns=38 --buffer mine=rows*columns --buffer other=rows*columns
// params: mine,other,rows,columns
extern "C" __global__ void squares_of_one_colour(signed char* mine, const signed char* other, int rows, int columns)
{
    int half = columns / 2;
    long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    int row = (int)(at / half), column = (int)(at % half);
    if (row >= rows) return;
    int up = row > 0 ? row - 1 : rows - 1;
    mine[row * half + column] += other[up * half + column];  // expect: uncoalesced-access
}
// contract: requires columns >= 2
// contract: mine = (columns//2)*rows@1
// contract: other = (columns//2)*rows@1
