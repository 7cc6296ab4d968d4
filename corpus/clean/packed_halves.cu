// Pairs of halves in one word; an odd last half is converted by itself.
// launch: --grid 1 --block 64 --arg n=101 --buffer x=2*n --buffer y=2*n
// params: n,x,y
// expect-none
extern "C" __global__ void packed_halves(int n, const unsigned short* x, unsigned short* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * i + 1 < n) {
        unsigned pair = reinterpret_cast<const unsigned*>(x)[i];
        asm("{ mul.rn.f16x2 %0, %0, %0; }" : "+r"(pair));
        reinterpret_cast<unsigned*>(y)[i] = pair;
    } else if (2 * i < n) {
        unsigned short half = x[2 * i];
        asm("{ mul.rn.f16 %0, %0, %0; }" : "+h"(half));
        y[2 * i] = half;
    }
}
