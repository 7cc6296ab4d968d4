// A barrier in a loop whose number of turns differs from thread to thread.
// launch: --grid 1 --block 64 --arg n=5 --buffer y=4*64
// params: n,y
extern "C" __global__ void barrier_in_divergent_loop(int n, int* y)
{
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = t;
    for (int k = 0; k < t % n; k++) {
        __syncthreads();  // expect: divergent-barrier
        int v = s[63 - t];
        __syncthreads();  // expect: divergent-barrier
        s[t] = v;
    }
    y[t] = s[t];
}
