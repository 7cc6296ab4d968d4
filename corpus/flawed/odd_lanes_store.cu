// Only the odd lanes store: 16 active lanes touch 4 sectors where 2 would do.
// launch: --grid 2 --block 128 --buffer y=4*256
// params: y
extern "C" __global__ void odd_lanes_store(int* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 2 == 1)
        y[i] = i;  // expect: uncoalesced-access
}
