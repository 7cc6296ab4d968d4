// Four threads read a row of 32 numbers each: the last group of them ends the buffer.
// launch: --grid 1 --block 32 --buffer y=1024 --buffer x=1024
// params: y,x
extern "C" __global__ void rows_by_four_threads(float* y, const float* x)
{
    int row = threadIdx.x / 4, column = threadIdx.x % 4;
    for (int k = 0; k < 32; k += 4)
        y[32 * row + column + k] = x[32 * row + column + k] * 2.0f; // expect: uncoalesced-access
}
