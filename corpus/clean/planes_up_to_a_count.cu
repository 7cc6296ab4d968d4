// Sums over as many planes as there are, eight at the most, of an element and its left neighbour: nvcc unrolls the loop.
// launch: --grid 2 --block 32 --arg n=50 --arg planes=3 --arg pitch=64 --buffer x=4*178 --buffer y=200
// params: x,y,n,planes,pitch
// expect-none
extern "C" __global__ void planes_up_to_a_count(const float* x, float* y, int n, int planes, int pitch)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k)
        if (k < planes) sum += x[k * pitch + i] + x[k * pitch + max(i - 1, 0)];
    y[i] = sum;
}
// contract: requires pitch >= 0
// contract: x = min(4*n + 28*pitch, 4*pitch*planes + 4*n - 4*pitch)@4
// contract: y = 4*n@4
