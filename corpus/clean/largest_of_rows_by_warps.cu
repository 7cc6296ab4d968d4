// A warp finds the largest elements of a row of 64, one after the other. Each lane holds two of them,
// and marks the one that was taken: its column came from another lane, so it is below 64.
// launch: --grid 3 --block 32x4 --buffer x=2560 --buffer columns=200 --arg rows=10 --arg picks=5
// params: x,columns,rows,picks
// input: x=arange:f4
// expect-none
extern "C" __global__ void __launch_bounds__(128) largest_of_rows_by_warps(
    const float *x, int *columns, int rows, int picks)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows)
        return;
    float own[2];
    for (int i = 0; i < 2; i++)
        own[i] = x[64 * row + 32 * i + lane];
    for (int pick = 0; pick < picks; pick++) {
        float most = own[0];
        int column = lane;
        if (own[1] > most) {
            most = own[1];
            column = lane + 32;
        }
        for (int apart = 16; apart > 0; apart /= 2) {
            float other = __shfl_xor_sync(0xffffffff, most, apart);
            int of_other = __shfl_xor_sync(0xffffffff, column, apart);
            if (other > most || (other == most && of_other < column)) {
                most = other;
                column = of_other;
            }
        }
        if ((column & 31) == lane) {
            own[column / 32] = -3e38f;
            columns[picks * row + pick] = column;
        }
    }
}
// contract: requires ntid.x <= 32
// contract: x = 4*ntid.x + 256*rows - 128@4
// contract: columns = 4*picks*rows@4
