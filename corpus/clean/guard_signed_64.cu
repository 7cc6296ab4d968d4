// A signed 64-bit index tested against both ends, as index types of tensors ask for.
// launch: --grid 3 --block 64 --arg n=150 --arg first=-5 --buffer x=4*n --buffer y=4*n
// params: n,first,x,y
// expect-none
extern "C" __global__ void guard_signed_64(long long n, long long first, const float* x, float* y)
{
    long long i = first + blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    if (i >= 0 && i < n)
        y[i] = x[i] + 1.0f;
}
