// Each element has a root of the unit: those of one stage lie behind those of the stages before, as many as two masks leave.
// launch: --grid 2 --block 64 --arg bits=6 --arg stage=3 --arg n=100 --buffer x=400 --buffer root=64
// params: x,root,bits,stage,n
// expect-none
extern "C" __global__ void roots_of_a_stage(float* x, const float* root, int bits, int stage, int n)
{
    const int half = 1 << stage, row = 1 << (bits - 1);
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int place = i & (row - 1);
    x[i] *= root[half + (place & (half - 1))];
}
// contract: requires stage <= 64
// contract: root = 8*2**stage@4
// contract: x = 4*n@4
