// `for i in range(start, n, step)` as Numba lowers it: the number of rounds first, then a count.
// launch: --grid 2 --block 32 --arg n=150 --buffer x=4*n
// params: n,x
// expect-none
extern "C" __global__ void numba_range_loop(long long n, float* x)
{
    long long i = blockIdx.x * blockDim.x + threadIdx.x;
    long long step = blockDim.x * gridDim.x;
    long long rounds = n > i ? (n - i + step - 1) / step : 0;
    for (; rounds > 0; rounds--, i += step)
        x[i] += 1.0f;
}
// contract: requires nctaid.x*ntid.x <= 2**32 - 1
// contract: x = 4*n@4
