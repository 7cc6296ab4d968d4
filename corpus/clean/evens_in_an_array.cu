// The even elements in an array of their own: all of each sector is used.
// launch: --grid 2 --block 128 --buffer evens=4*256 --buffer y=4*256
// params: evens,y
// expect-none
extern "C" __global__ void evens_in_an_array(const float* evens, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = evens[i];
    y[i] = v;
}
