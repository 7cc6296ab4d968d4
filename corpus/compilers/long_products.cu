// Products of 128 bits from 64: the carry chain, written out.
// launch: --grid 1 --block 32 --buffer x=8*32 --buffer y=8*32
// params: x,y
// expect-none
extern "C" __global__ void long_products(const unsigned long long* x, unsigned long long* y)
{
    unsigned long long a = x[threadIdx.x], b = a * 0x9E3779B97F4A7C15ull + threadIdx.x, low, high;
    asm("{ mul.lo.u64 %0, %2, %3; mul.hi.u64 %1, %2, %3; add.cc.u64 %0, %0, %2; addc.u64 %1, %1, 0; }"
        : "=&l"(low), "=&l"(high) : "l"(a), "l"(b));
    y[threadIdx.x] = high ^ low ^ __umul64hi(a, b);
}
