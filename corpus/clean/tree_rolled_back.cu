// A binomial tree is rolled back in shared memory, one thread a node: a step reads the next node of the step behind it.
// launch: --grid 4 --block 33 --arg steps=32 --buffer s=16 --buffer v=16 --shared 132
// params: s,v,steps
// expect-none
extern "C" __global__ void tree_rolled_back(const float* s, float* v, int steps)
{
    extern __shared__ float tree[];
    const int node = threadIdx.x;
    tree[node] = s[blockIdx.x] * node;
    for (int left = steps; left > 0; left--) {
        __syncthreads();
        const float value = node < left ? 0.5f * (tree[node] + tree[node + 1]) : 0.0f;
        __syncthreads();
        if (node < left)
            tree[node] = value;
    }
    if (node == 0)
        v[blockIdx.x] = tree[0];
}
// contract: shared = max(4*ntid.x, min(4*ntid.x + 4, 4*steps + 4))
