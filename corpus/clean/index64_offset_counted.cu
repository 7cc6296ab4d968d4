// 64-bit index behind an offset: the guard compares what is used as the index.
// launch: --grid 4 --block 128 --arg n=500 --arg offset=16 --buffer x=4*n
// params: n,offset,x
// expect-none
extern "C" __global__ void index64_offset_counted(long long n, long long offset, int* x)
{
    long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i + offset < n)
        x[i + offset] = 1;
}
