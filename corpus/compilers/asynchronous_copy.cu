// Global to shared memory without registers, in two stages.
// launch: --grid 1 --block 32 --buffer x=16*64 --buffer y=16*64
// params: x,y
// expect-none
extern "C" __global__ void asynchronous_copy(const int4* x, int4* y)
{
    __shared__ int4 s[64];
    unsigned to = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(x + threadIdx.x));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 ::"r"(to + 512), "l"(x + threadIdx.x + 32));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    y[threadIdx.x] = s[threadIdx.x ^ 1];
    y[threadIdx.x + 32] = s[threadIdx.x + 32];
}
