// A pool of shared bytes cut into 33 ints and then doubles: none stands at a multiple of 8.
// launch: --grid 1 --block 32 --buffer counts=4*32 --buffer sums=8*32
// params: counts,sums
extern "C" __global__ void shared_pool_misaligned(int* counts, double* sums)
{
    __shared__ __align__(16) char pool[4 * 34 + 8 * 32];
    volatile int* count = reinterpret_cast<volatile int*>(pool);
    volatile double* sum = reinterpret_cast<volatile double*>(pool + 4 * 33);
    int t = threadIdx.x;
    count[t] = t;
    sum[t] = 0.5 * t;  // expect: misaligned-access
    __syncthreads();
    counts[t] = count[31 - t];
    sums[t] = sum[31 - t];  // expect: misaligned-access
}
