// Grid-stride loop: any grid covers any n, and no thread leaves the vectors.
// launch: --grid 2 --block 128 --arg n=1000 --arg a=2.0 --buffer x=4*n --buffer y=4*n
// params: n,a,x,y
// expect-none
extern "C" __global__ void saxpy_grid_stride(int n, float a, const float* x, float* y)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        y[i] = a * x[i] + y[i];
}
