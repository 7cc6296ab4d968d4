// A scan by Hillis and Steele in the two halves of one array, which are exchanged by their numbers.
// launch: --grid 1 --block 128 --arg n=128 --shared 8*n --buffer x=4*n --buffer y=4*n
// params: x,y,n
// expect-none
extern "C" __global__ void halves_exchanged(const float* x, float* y, int n)
{
    extern __shared__ float halves[];
    int i = threadIdx.x, to = 0, from = 1;
    halves[i] = i > 0 ? x[i - 1] : 0.0f;
    __syncthreads();
    for (int distance = 1; distance < n; distance *= 2) {
        to = 1 - to;
        from = 1 - to;
        if (i >= distance)
            halves[to * n + i] = halves[from * n + i] + halves[from * n + i - distance];
        else
            halves[to * n + i] = halves[from * n + i];
        __syncthreads();
    }
    y[i] = halves[to * n + i];
}
