// Groups of three are stored with a gap of four behind each: a quotient and what it leaves, of a signed index.
// launch: --grid 1 --block 128 --arg n=0..128 --buffer x=4*n --buffer y=28*((n+2)//3)
// params: y,x,n
extern "C" __global__ void thirds_interleaved(float* y, const float* x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i / 3 * 7 + i % 3] = x[i];  // expect: uncoalesced-access
}
// contract: requires n <= 920350135
// contract: x = 4*n@4
// contract: y = 4*((7*n - 4)//3)@4
