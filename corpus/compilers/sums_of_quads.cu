// Rows of quads of bytes: the loop, which the compiler unrolls by four, has a quarter of the steps that the parameter says.
// launch: --grid 2 --block 32 --arg m=50 --arg k=32 --buffer a=1600 --buffer sum=200
// params: a,sum,m,k
extern "C" __global__ void sums_of_quads(const int* a, int* sum, int m, int k)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m)
        return;
    int total = 0;
    for (int quad = 0; quad < k / 4; quad++)
        total = __dp4a(a[row * (k / 4) + quad], 0x01010101, total);  // expect: uncoalesced-access
    sum[row] = total;
}
// contract: requires k*m <= 2**33 + 3
// contract: a = 4*(k//4)*m@4
// contract: sum = 4*m@4
