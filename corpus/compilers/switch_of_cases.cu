// A switch: a table of branches.
// launch: --grid 1 --block 32 --arg which=3 --buffer y=4*32
// params: which,y
// expect-none
extern "C" __global__ void switch_of_cases(int which, int* y)
{
    int v = threadIdx.x;
    switch (which) {
    case 0: v = v * 3 + 1; break;
    case 1: v = v ^ 9; break;
    case 2: v = v / 27; break;
    case 3: v = v % 81; break;
    case 4: v = y[v]; break;
    case 5: v = v << 3; break;
    default: v = 0;
    }
    y[threadIdx.x] = v;
}
