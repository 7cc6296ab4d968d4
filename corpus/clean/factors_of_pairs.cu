// Each pair of a row has a factor, but only the first pairs, as many as are scaled; the others have 1.
// launch: --grid 2 --block 32 --arg n=80 --arg scaled=63 --buffer y=160 --buffer factor=128
// params: y,factor,n,scaled
// expect-none
extern "C" __global__ void factors_of_pairs(float* y, const float* factor, int n, int scaled)
{
    const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    y[i / 2] = i < scaled ? factor[i / 2] : 1.0f;
}
// contract: requires nctaid.x*ntid.x <= 2**30
// contract: factor = min(4*((n + 1)//2), 4*((scaled + 1)//2))@4
// contract: y = 4*((n + 1)//2)@4
