// Rows of 33 elements in shared memory, as many as a block has, from the first or the second element on, in turns.
// launch: --grid 3 --block 32x8 --arg turns=5 --buffer x=1024*3
// params: x,turns
// expect-none
extern "C" __global__ void bricks_in_turns(float* x, int turns)
{
    __shared__ float bricks[8][33];
    int row = threadIdx.y, column = threadIdx.x;
    x += (blockIdx.x * 8 + row) * 32 + column;
    bricks[row][column] = *x;
    if (column == 0) bricks[row][32] = 0.0f;
    __syncthreads();
    for (int k = 0; k < 2 * turns; k++) {
        bricks[row][column + (row + k) % 2] *= 0.5f;
        __syncthreads();
    }
    *x = bricks[row][column];
}
// contract: requires ntid.x + 33*ntid.y <= 296
// contract: x = 1024*nctaid.x + 4*ntid.x + 128*ntid.y - 1152@4
