// An element of a table of nine, by the remainder of a signed index that is not negative.
// launch: --grid 2 --block 64 --arg n=0..1000 --buffer y=4*ntid.x*nctaid.x
// params: y,n
// expect-none
extern "C" __global__ void ninth_of_a_ring(float* y, int n)
{
    __shared__ float table[9];
    if (threadIdx.x < 9)
        table[threadIdx.x] = 0.5f * threadIdx.x;
    __syncthreads();
    if (n >= 0)
        y[blockIdx.x * blockDim.x + threadIdx.x] = table[(n + 5) % 9];
}
// contract: requires n <= 2**31 - 6
// contract: y = 4*nctaid.x*ntid.x@4
