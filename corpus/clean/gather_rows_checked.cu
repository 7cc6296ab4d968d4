// Rows of a table picked by number: a number outside of the table gives a row of zeros.
// launch: --grid 5 --block 32 --arg rows=6 --arg width=48 --buffer pick=8*5 --buffer table=4*rows*width --buffer out=4*5*width
// params: rows,width,pick,table,out
// expect-none
extern "C" __global__ void gather_rows_checked(long long rows, int width, const long long* pick,
                                               const float* table, float* out)
{
    long long row = pick[blockIdx.x];
    bool known = row >= 0 && row < rows;
    for (int column = threadIdx.x; column < width; column += blockDim.x)
        out[blockIdx.x * width + column] = known ? table[row * width + column] : 0.0f;
}
