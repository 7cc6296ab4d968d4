// Decimals of one scale as those of another one: a power of ten that the greater scale less the other one chooses.
// launch: --grid 2 --block 64 --arg n=100 --arg old=6 --arg new=2 --buffer x=800 --buffer y=800
// params: x,y,n,old,new
// expect-none
__constant__ long long powers[8] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
extern "C" __global__ void decimals_moved(const long long *x, long long *y, int n, int old, int scale)
{
    const bool up = scale > old;
    const long long power = powers[up ? scale - old : old - scale];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = up ? x[i] * power : x[i] / power;
}
