// Elements a step apart, which may be negative: the first one is then the last in memory.
// launch: --grid 2 --block 64 --arg n=77 --arg step=-3 --buffer x=4*229 --buffer y=4*77
// params: x,y,n,step
extern "C" __global__ void vector_of_any_step(const float* x, float* y, int n, int step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int first = step < 0 ? (1 - n) * step : 0;
    y[i] = x[first + i * step];  // expect: uncoalesced-access
}
// contract: requires step <= n*step + 2**31 - 1
// contract: x = max(4*step + 4 - 4*n*step, 4*n*step - 4*step + 4)@4
// contract: y = 4*n@4
