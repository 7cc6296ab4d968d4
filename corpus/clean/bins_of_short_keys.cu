// Elements are counted in bins that keys of 16 bits name: in shared memory first, then in global memory.
// launch: --grid 3 --block 64 --shared 160 --arg n=1..500 --arg bins=40 --buffer key=2*n --buffer count=160 --values key=0..39:u16
// params: key,count,n,bins
// expect-none
extern "C" __global__ void bins_of_short_keys(const unsigned short* key, int* count, int n, int bins)
{
    extern __shared__ int part[];
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x)
        part[bin] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&part[key[i]], 1);
    __syncthreads();
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x)
        atomicAdd(&count[bin], part[bin]);
}
