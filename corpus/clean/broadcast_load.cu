// All lanes read one element: one sector serves the warp, which is not a waste.
// launch: --grid 4 --block 64 --buffer x=4*4 --buffer y=4*256
// params: x,y
// expect-none
extern "C" __global__ void broadcast_load(const float* x, float* y)
{
    float v = x[blockIdx.x];
    y[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
