// Binomial tree of one option a block: a level a step, prices in shared memory.
// launch: --grid 3 --block 65 --arg steps=1..64 --buffer strike=4*nctaid.x --buffer value=4*nctaid.x
// params: strike,value,steps
// expect-none
extern "C" __global__ void binomial_shared(const float* strike, float* value, int steps)
{
    __shared__ float v[257];
    int t = threadIdx.x;
    if (t <= steps) v[t] = fmaxf(100.0f * expf(0.02f * (2 * t - steps)) - strike[blockIdx.x], 0.0f);
    __syncthreads();
    for (int level = steps; level > 0; level--) {
        float next = 0;
        if (t < level) next = 0.5f * (v[t] + v[t + 1]);
        __syncthreads();
        if (t < level) v[t] = next;
        __syncthreads();
    }
    if (t == 0) value[blockIdx.x] = v[0];
}
