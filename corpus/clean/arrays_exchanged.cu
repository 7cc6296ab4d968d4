// A scan by Hillis and Steele: the two arrays are exchanged after each step, by their pointers.
// launch: --grid 1 --block 256 --arg n=200 --buffer x=4*n --buffer y=4*n
// params: x,y,n
// expect-none
extern "C" __global__ void arrays_exchanged(const float* x, float* y, int n)
{
    __shared__ float one[256], other[256];
    float *from = one, *to = other;
    int i = threadIdx.x;
    from[i] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int distance = 1; distance < 256; distance *= 2) {
        to[i] = i >= distance ? from[i] + from[i - distance] : from[i];
        __syncthreads();
        float* last = from;
        from = to;
        to = last;
    }
    if (i < n)
        y[i] = from[i];
}
