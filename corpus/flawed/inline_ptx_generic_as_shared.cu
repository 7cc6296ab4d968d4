// Inline PTX reads shared memory at a generic address, the window's base still in it.
// launch: --grid 1 --block 64 --buffer y=4*64
// params: y
extern "C" __global__ void inline_ptx_generic_as_shared(int* y)
{
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    auto a = reinterpret_cast<size_t>(const_cast<int*>(&s[63 - t]));
    int v;
    asm volatile("ld.shared.s32 %0, [%1];" : "=r"(v) : "l"(a));  // expect: address-space-mismatch
    y[t] = v;
}
