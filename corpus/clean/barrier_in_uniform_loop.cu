// A barrier in a loop whose number of turns is a parameter.
// launch: --grid 1 --block 64 --arg n=5 --buffer y=4*64
// params: n,y
// expect-none
extern "C" __global__ void barrier_in_uniform_loop(int n, int* y)
{
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = t;
    for (int k = 0; k < n; k++) {
        __syncthreads();
        int v = s[63 - t];
        __syncthreads();
        s[t] = v;
    }
    y[t] = s[t];
}
