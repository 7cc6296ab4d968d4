// A thread adds up a chunk of its own; those without elements write nothing, so there is a sum for each chunk.
// launch: --grid 1 --block 64 --arg n=500 --arg chunk=9 --buffer x=4*n --buffer y=224
// params: x,y,n,chunk
extern "C" __global__ void chunks_behind_a_guard(const float* x, float* y, int n, int chunk)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, start = t * chunk;
    if (start >= n) return;
    float sum = 0;
    for (int i = start; i < min(start + chunk, n); ++i) sum += x[i];  // expect: uncoalesced-access
    y[t] = sum;
}
// contract: requires chunk >= 1
// contract: x = 4*n@4
// contract: y = 4*((n - 1)//chunk) + 4@4
