// Contiguous elements, one off a sector boundary: one sector above the ideal is no flaw.
// launch: --grid 2 --block 128 --buffer x=4*513 --buffer y=4*256
// params: x,y
// expect-none
extern "C" __global__ void stride_one(const float* x, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i + 1];
    y[i] = v;
}
