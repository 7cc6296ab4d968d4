// A tensor is permuted: numbers that the host prepared divide the index, and sums of 64 bits have room for any index.
// launch: --grid 2 --block 32 --arg plan.0=3 --arg plan.4=1431655766 --arg plan.8=2 --arg plan.12=4 --arg plan.16=0 --arg plan.20=2 --arg plan.24=12 --arg plan.28=1 --arg plan.32=4 --arg plan.36=60 --buffer x=240 --buffer y=240
// params: x,y,plan
// expect-none
struct Divisor {
    unsigned d, m, s;
};
struct Plan {
    Divisor inner, outer;
    int stride0, stride1, stride2;
    unsigned total;
};

static __device__ unsigned quotient(unsigned i, const Divisor& by)
{
    return (unsigned)(((unsigned long long)__umulhi(i, by.m) + i) >> by.s);
}

extern "C" __global__ void permuted_by_reciprocals(const float* x, float* y, Plan plan)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= plan.total) return;
    const unsigned row = quotient(i, plan.inner), plane = quotient(row, plan.outer);
    const int at = (int)(i - row * plan.inner.d) * plan.stride2 + (int)(row - plane * plan.outer.d) * plan.stride1;
    y[i] = x[at + (int)plane * plan.stride0];
}
// contract: requires plan.24 >= 0
// contract: y = 4*plan.36@4
