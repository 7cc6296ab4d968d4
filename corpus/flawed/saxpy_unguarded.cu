// Saxpy without a guard: the grid has 24 threads more than the vectors have elements.
// launch: --grid 4 --block 256 --arg n=1000 --arg a=2.0 --buffer x=4*n --buffer y=4*n
// params: n,a,x,y
extern "C" __global__ void saxpy_unguarded(int n, float a, const float* x, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = a * x[i] + y[i];  // expect: out-of-bounds
}
