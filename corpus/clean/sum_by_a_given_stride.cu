// Threads of a block sum a row in steps that a parameter gives.
// launch: --grid 3 --block 64 --arg cols=1..260 --arg step=1..64 --buffer sums=768 --buffer x=12*cols
// params: sums,x,cols,step
// expect-none
extern "C" __global__ void sum_by_a_given_stride(float* sums, const float* x, int cols, int step)
{
    const float* row = x + blockIdx.x * cols;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < cols; i += step)
        sum += row[i];
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
// contract: requires step >= 1
// contract: x = 4*cols*nctaid.x@4
