// A reduction as CuPy writes it: each block walks one output's inputs, then folds in shared memory.
// launch: --grid 3 --block 64 --arg outputs=5 --arg length=90 --buffer x=4*outputs*length --buffer y=4*outputs
// params: x,y,outputs,length
// expect-none
extern "C" __global__ void cupy_reduction(const int* x, int* y, ptrdiff_t outputs, ptrdiff_t length)
{
    __shared__ int partial[64];
    unsigned t = threadIdx.x;
    for (ptrdiff_t o = blockIdx.x; o < outputs; o += gridDim.x) {
        int sum = 0;
        for (ptrdiff_t j = t; j < length; j += 64)
            sum += x[o * length + j];
        __syncthreads();
        partial[t] = sum;
        __syncthreads();
        for (unsigned offset = 32; offset > 0; offset >>= 1) {
            if (t < offset)
                partial[t] += partial[t + offset];
            __syncthreads();
        }
        if (t == 0)
            y[o] = partial[0];
    }
}
