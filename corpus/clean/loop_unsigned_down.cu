// A loop that tests before it counts down: the unsigned index never passes zero.
// launch: --grid 1 --block 32 --arg n=6 --buffer x=4*32*n --buffer y=4*32
// params: n,x,y
// expect-none
extern "C" __global__ void loop_unsigned_down(unsigned n, const float* x, float* y)
{
    float horner = 0.0f;
    for (unsigned k = n; k-- > 0;)
        horner = horner * 0.5f + x[32 * k + threadIdx.x];
    y[threadIdx.x] = horner;
}
