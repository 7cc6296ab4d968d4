// Inline PTX reads shared memory at an address converted to shared space.
// launch: --grid 1 --block 64 --buffer y=4*64
// params: y
// expect-none
extern "C" __global__ void inline_ptx_shared_address(int* y)
{
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    auto a = __cvta_generic_to_shared(const_cast<int*>(&s[63 - t]));
    int v;
    asm volatile("ld.shared.s32 %0, [%1];" : "=r"(v) : "l"(a));
    y[t] = v;
}
