// Vector loads that start one element into an allocation: no address is a multiple of 16.
// launch: --grid 2 --block 128 --buffer x=16*257 --buffer y=16*256
// params: x,y
extern "C" __global__ void int4_load_misaligned(const int* x, int4* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = reinterpret_cast<const int4*>(x + 1)[i];  // expect: misaligned-access
}
