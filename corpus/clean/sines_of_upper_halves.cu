// The sine of numbers of which a buffer has the upper halves, as bfloat16 is: large ones need a table.
// launch: --grid 2 --block 64 --arg n=100 --buffer x=2*n --buffer y=4*n
// params: x,y,n
// expect-none
extern "C" __global__ void sines_of_upper_halves(const unsigned short* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float whole;
    asm("mov.b32 %0, {0, %1};" : "=f"(whole) : "h"(x[i]));
    y[i] = sinf(whole);
}
// contract: requires nctaid.x*ntid.x <= 2**31
// contract: x = 2*n@2
// contract: y = 4*n@4
