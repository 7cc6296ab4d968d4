// A square is transposed in dynamic shared memory whose rows have an odd number of words: n or n + 1.
// launch: --grid 3 --block 8x8 --arg n=1..20 --buffer x=12*n*n --buffer y=12*n*n --shared 4*n*n+4*n
// params: x,y,n
extern "C" __global__ void rows_of_an_odd_pitch(const float* x, float* y, int n)
{
    extern __shared__ float s[];
    int pitch = n | 1;
    const float* own = x + (size_t)blockIdx.x * n * n;
    for (int i = threadIdx.y; i < n; i += blockDim.y)
        for (int j = threadIdx.x; j < n; j += blockDim.x)
            s[i * pitch + j] = own[i * n + j];  // expect: shared-bank-conflict, uncoalesced-access
    __syncthreads();
    for (int i = threadIdx.y; i < n; i += blockDim.y)
        for (int j = threadIdx.x; j < n; j += blockDim.x)
            y[(size_t)blockIdx.x * n * n + i * n + j] = s[j * pitch + i];  // expect: shared-bank-conflict, uncoalesced-access
}
// contract: shared = 8*(n//2)*n + 8*n - 8*(n//2) - 4
