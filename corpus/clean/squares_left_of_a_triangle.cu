// Threads of a block add up what is left of a triangle's square, step by step.
// launch: --grid 1 --block 64 --arg n=1..40 --buffer x=4*n*n --buffer y=4*n
// params: x,y,n
// expect-none
extern "C" __global__ void squares_left_of_a_triangle(const float* x, float* y, int n)
{
    __shared__ float part[64];
    for (int k = 0; k < n; ++k) {
        const int rest = n - k - 1;
        float sum = 0.0f;
        for (int e = threadIdx.x; e < rest * rest; e += blockDim.x)
            sum += x[e];
        part[threadIdx.x] = sum;
        __syncthreads();
        if (threadIdx.x == 0) {
            for (int t = 1; t < blockDim.x; ++t)
                sum += part[t];
            y[k] = sum;
        }
        __syncthreads();
    }
}
// contract: requires ntid.x <= 64
// contract: y = 4*n@4
