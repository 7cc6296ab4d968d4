// Softmax of rows, a block a row: three passes over the columns and two reductions.
// launch: --grid 3 --block 64 --arg columns=100 --buffer x=4*3*columns --buffer y=4*3*columns
// params: columns,x,y
// expect-none
template <class Op> __device__ float of_block(float* s, float v, Op op)
{
    int t = threadIdx.x;
    __syncthreads();
    s[t] = v;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d >>= 1) {
        if (t < d)
            s[t] = op(s[t], s[t + d]);
        __syncthreads();
    }
    return s[0];
}
extern "C" __global__ void rows_softmax(int columns, const float* x, float* y)
{
    __shared__ float s[64];
    const float* row = x + static_cast<size_t>(blockIdx.x) * columns;
    float most = -3.0e38f, sum = 0.0f;
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        most = fmaxf(most, row[c]);
    most = of_block(s, most, [](float a, float b) { return fmaxf(a, b); });
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        sum += __expf(row[c] - most);
    sum = of_block(s, sum, [](float a, float b) { return a + b; });
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        y[static_cast<size_t>(blockIdx.x) * columns + c] = __expf(row[c] - most) / sum;
}
