// Elements of a sample, drawn with replacement: a number below 1 times their number, rounded down.
// launch: --grid 3 --block 128 --arg seed=12345 --arg elements=50 --arg n=300 --buffer sample=4*elements --buffer out=4*n
// params: sample,out,seed,elements,n
extern "C" __global__ void elements_drawn_at_random(const float* sample, float* out, unsigned seed, int elements, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned state = (seed + i) * 747796405u + 2891336453u;
    state = (state ^ (state >> 16)) * 2654435769u;
    float u = (state >> 8) * (1.0f / 16777216.0f);
    out[i] = sample[(int)(u * elements)];  // expect: uncoalesced-access
}
// contract: requires elements >= 1
// contract: sample = 4*elements@4
// contract: out = 4*n@4
