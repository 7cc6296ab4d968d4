// Products of pairs: each with its partner, or each with all. One loop has both lengths.
// launch: --grid 2 --block 64 --arg n=40 --arg m=5 --arg aligned=0 --buffer x=4*n --buffer y=4*max(n,m) --buffer out=4*n*m
// params: x,y,out,n,m,aligned
// expect-none
extern "C" __global__ void pairs_aligned_or_all(const float* x, const float* y, float* out,
                                                int n, int m, int aligned)
{
    int length = aligned ? n : n * m;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < length; i += blockDim.x * gridDim.x) {
        int own = aligned ? i : i / m, other = aligned ? i : i % m;
        out[i] = x[own] * y[other];
    }
}
// contract: requires m*n >= -2**31
// contract: x = 4*n@4
// contract: y = max(4*n, 4*m)@4
// contract: out = 4*m*n@4
