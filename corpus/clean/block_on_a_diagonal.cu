// Sixteen rows of a block on the diagonal of a square, each from an address behind the one before.
// launch: --grid 1 --block 16 --arg side=40 --arg start=20 --buffer x=4*side*side
// params: x,side,start
// expect-none
extern "C" __global__ void block_on_a_diagonal(float* x, int side, int start)
{
    __shared__ float block[16][16];
    int at = start * side + start, t = threadIdx.x;
    for (int row = 0; row < 16; row++, at += side) block[row][t] = x[at + t];
    __syncthreads();
    for (int row = 1; row < 16; row++) {
        if (t >= row) block[row][t] -= block[row][row - 1] * block[row - 1][t];
        __syncthreads();
    }
    at = start * side + start;
    for (int row = 0; row < 16; row++, at += side) x[at + t] = block[row][t];
}
// contract: requires side*start + 15*side + start >= 0
// contract: x = max(4*side*start + 4*ntid.x + 60*side + 4*start, 4*side*start + 4*ntid.x + 4*start)@4
