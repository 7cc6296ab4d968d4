// A payoff of 160 dates as a loop: days above the strike, and the highest price.
// launch: --grid 1 --block 32 --arg paths=32 --arg strike=100.0 --buffer price=4*160*paths --buffer pays=4*paths
// params: paths,strike,price,pays
// expect-none
extern "C" __global__ void payoff_factored(unsigned paths, float strike, const float* price, float* pays)
{
    unsigned path = blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= paths)
        return;
    unsigned days = 0;
    float most = 0.0f;
#pragma unroll 1
    for (unsigned date = 0; date < 160; date++) {
        float s = price[date * paths + path];
        days += s > strike;
        most = fmaxf(most, s);
    }
    pays[path] = days * most;
}
