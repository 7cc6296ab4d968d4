// Half precision, two to a register.
// launch: --grid 1 --block 32 --buffer x=4*32 --buffer y=4*32
// params: x,y
// expect-none
extern "C" __global__ void half_arithmetic(const unsigned* x, unsigned* y)
{
    unsigned a = x[threadIdx.x], b = a ^ 0x00010001u, c;
    asm("{ fma.rn.f16x2 %0, %1, %2, %1; }" : "=r"(c) : "r"(a), "r"(b));
    asm("{ add.rn.bf16x2 %0, %1, %2; }" : "=r"(b) : "r"(c), "r"(a));
    float f;
    asm("{ .reg .b16 h, l; mov.b32 {l, h}, %1; cvt.f32.f16 %0, l; }" : "=f"(f) : "r"(c));
    y[threadIdx.x] = b + (unsigned)f;
}
