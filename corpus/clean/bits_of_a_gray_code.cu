// A block permuted in shared memory by the Gray code of the thread.
// launch: --grid 2 --block 128 --buffer x=4*256 --buffer y=4*256
// params: x,y
// expect-none
extern "C" __global__ void bits_of_a_gray_code(const float* x, float* y)
{
    __shared__ float s[128];
    unsigned t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t ^ (t >> 1)] = x[i];
    __syncthreads();
    y[i] = s[t];
}
