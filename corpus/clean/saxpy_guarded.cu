// Saxpy with its guard: the surplus threads of the last block do nothing.
// launch: --grid 4 --block 256 --arg n=1000 --arg a=2.0 --buffer x=4*n --buffer y=4*n
// params: n,a,x,y
// expect-none
extern "C" __global__ void saxpy_guarded(int n, float a, const float* x, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
