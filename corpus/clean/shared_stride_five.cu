// Lanes five words apart in shared memory: five and 32 have no common factor, so no two lanes meet.
// launch: --grid 1 --block 64 --buffer out=4*64
// params: out
// expect-none
extern "C" __global__ void shared_stride_five(int* out)
{
    __shared__ volatile int s[320];
    int t = threadIdx.x;
    s[t * 5] = t;
    __syncthreads();
    out[t] = s[(63 - t) * 5];
}
