// One of two buffers, or none, as an argument says: it is read where the pointer is not null.
// launch: --grid 4 --block 64 --arg n=200 --arg which=1 --buffer a=4*n --buffer b=4*n --buffer y=4*n
// params: a,b,y,n,which
// expect-none
extern "C" __global__ void buffer_or_none(const float* a, const float* b, float* y, int n, int which)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float* p = which == 0 ? a : which == 1 ? b : nullptr;
    if (p)
        y[i] = p[i];
}
