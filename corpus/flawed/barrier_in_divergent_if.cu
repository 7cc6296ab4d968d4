// A barrier that only the lower half of the block reaches.
// launch: --grid 2 --block 64 --buffer out=4*128
// params: out
extern "C" __global__ void barrier_in_divergent_if(int* out)
{
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = t;
    int v = t;
    if (t < 48) {
        __syncthreads();  // expect: divergent-barrier
        v = s[47 - t];
    }
    out[blockIdx.x * 64 + t] = v;
}
