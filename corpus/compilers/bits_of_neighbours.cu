// For each element a bit of every other one that is near: rows of words with a bit for each element.
// launch: --grid 2,2 --block 64 --arg n=100 --arg reach=0.5 --buffer x=4*n --buffer bits=8*n*((n+63)//64)
// params: x,bits,n,reach
extern "C" __global__ void bits_of_neighbours(const float* x, unsigned long long* bits, int n, float reach)
{
    __shared__ float others[64];
    int row = blockIdx.y * 64 + threadIdx.x, first = blockIdx.x * 64, count = min(n - first, 64);
    if (threadIdx.x < count) others[threadIdx.x] = x[first + threadIdx.x];
    __syncthreads();
    if (row >= n) return;
    float own = x[row];
    unsigned long long near = 0;
    for (int i = 0; i < count; i++) near |= (unsigned long long)(fabsf(others[i] - own) < reach) << i;
    bits[row * ((n + 63) / 64) + blockIdx.x] = near;  // expect: uncoalesced-access
}
// contract: requires 64*nctaid.x <= n + 64
// contract: bits = 8*((n + 63)//64)*n + 8*nctaid.x - 8*((n + 63)//64)@8
// contract: x = 4*n@4
