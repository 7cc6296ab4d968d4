// Lanes four words apart in shared memory: eight banks serve the warp, four lanes each.
// launch: --grid 1 --block 64 --buffer out=4*64
// params: out
extern "C" __global__ void shared_stride_four(int* out)
{
    __shared__ volatile int s[320];
    int t = threadIdx.x;
    s[t * 4] = t;  // expect: shared-bank-conflict
    __syncthreads();
    out[t] = s[(63 - t) * 4];  // expect: shared-bank-conflict
}
