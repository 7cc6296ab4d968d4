// 64-bit index behind an offset: the guard compares the index before the offset is added.
// launch: --grid 4 --block 128 --arg n=500 --arg offset=16 --buffer x=4*n
// params: n,offset,x
extern "C" __global__ void index64_offset_forgotten(long long n, long long offset, int* x)
{
    long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        x[i + offset] = 1;  // expect: out-of-bounds
}
