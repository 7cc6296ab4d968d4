// Every second element: half of each sector is fetched for nothing.
// launch: --grid 2 --block 128 --buffer x=4*513 --buffer y=4*256
// params: x,y
extern "C" __global__ void stride_two(const float* x, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[2 * i];  // expect: uncoalesced-access
    y[i] = v;
}
