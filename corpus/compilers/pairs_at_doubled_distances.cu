// Sums and differences of pairs whose distance doubles up to half of a row of 2**bits elements in dynamic shared memory.
// launch: --grid 5 --block 96 --shared 1024 --arg bits=8 --buffer x=4*5*256
// params: x,bits
extern __shared__ float row[];
extern "C" __global__ void pairs_at_doubled_distances(float* x, int bits)
{
    const int n = 1 << bits;
    float* own = x + ((size_t)blockIdx.x << bits);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        row[i] = own[i];
    for (int half = 1; half < n; half <<= 1) {
        __syncthreads();
        for (int t = threadIdx.x; t < n / 2; t += blockDim.x) {
            int low = (t & (half - 1)) + ((t & ~(half - 1)) << 1);
            float a = row[low], b = row[low + half];  // expect: shared-bank-conflict
            row[low] = a + b;  // expect: shared-bank-conflict
            row[low + half] = a - b;  // expect: shared-bank-conflict
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        own[i] = row[i];
}
// contract: requires 2**bits <= 2**30
// contract: x = 4*2**bits*nctaid.x@4
