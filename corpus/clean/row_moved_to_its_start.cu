// A loop that starts at a parameter: the row that it reads is as long as the part that it writes.
// launch: --grid 1 --block 1 --arg end=50 --arg start=7 --buffer y=4*end --buffer x=max(0,4*(end-start))
// params: y,x,end,start
// expect-none
extern "C" __global__ void row_moved_to_its_start(float* y, const float* x, int end, int start)
{
    for (int i = start; i < end; i++)
        y[i] = x[i - start];
}
// contract: requires start >= 0
// contract: x = 4*end - 4*start@4
// contract: y = 4*end@4
