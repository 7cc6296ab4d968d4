// The indices of the greatest elements of each row, one after the other: declared sizes decide which loops are executed.
// launch: --grid 4 --block 1 --arg columns=20 --arg count=3 --buffer x=4*4*columns --buffer at=4*4*count
// params: x,at,columns,count
// expect-none
extern "C" __global__ void greatest_in_turn(float* x, int* at, int columns, int count)
{
    float* row = x + blockIdx.x * columns;
    for (int taken = 0; taken < count; taken++) {
        int best = 0;
        for (int i = 1; i < columns; i++) if (row[i] > row[best]) best = i;
        at[blockIdx.x * count + taken] = best;
        row[best] = -1e30f;
    }
}
// contract: requires columns >= 0
// contract: at = 4*count*nctaid.x@4
