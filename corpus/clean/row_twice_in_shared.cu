// A row twice, one behind the other, in shared memory that its length sizes: an index in it goes around once.
// launch: --grid 2x3 --block 64 --shared 8*83 --arg n=83 --buffer c=12*83 --buffer x=12*83 --buffer y=12*83
// params: c,x,y,n
// expect-none
extern "C" __global__ void row_twice_in_shared(const float *c, const float *x, float *y, unsigned n)
{
    extern __shared__ float twice[];
    for (unsigned i = threadIdx.x; i < 2 * n; i += blockDim.x) twice[i] = c[blockIdx.y * n + i % n];
    __syncthreads();
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (unsigned j = 0, k = n + i; j < n; ++j, --k) sum += twice[k] * x[blockIdx.y * n + j];
    y[blockIdx.y * n + i] = sum;
}
// contract: shared = 8*n
