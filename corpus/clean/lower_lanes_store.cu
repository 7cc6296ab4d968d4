// Only the lower half of the warp stores: 16 active lanes touch 2 sectors.
// launch: --grid 2 --block 128 --buffer y=4*256
// params: y
// expect-none
extern "C" __global__ void lower_lanes_store(int* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 32 < 16)
        y[i] = i;
}
