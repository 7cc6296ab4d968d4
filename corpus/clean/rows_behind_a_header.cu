// A long sum, then a row behind a header, by vectors of whole warps: the columns are a multiple of 4.
// launch: --grid 1 --block 32 --arg rows=3 --arg columns=128 --buffer scratch=4*(32+2*columns)
// params: rows,columns,scratch
// expect-none
extern "C" __global__ void rows_behind_a_header(int rows, int columns, float* scratch)
{
    float sum = 0.0f;
    for (int i = 0; i < rows * rows * rows; i++)
        sum = sum * 0.5f + i;
    if (blockDim.x < 32)
        return;
    float* row = scratch + 32 + columns;
    for (int i = 4 * threadIdx.x; i < columns; i += 4 * blockDim.x)
        *(float4*)(row + i) = make_float4(sum, sum, sum, sum);
}
