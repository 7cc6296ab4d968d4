// Division and remainder by constants and by values, 32 and 64 bits.
// launch: --grid 2 --block 64 --arg n=100 --arg m=7 --buffer x=8*n --buffer y=8*n
// params: n,m,x,y
// expect-none
extern "C" __global__ void integer_division(int n, int m, const long long* x, long long* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned u = (unsigned)x[i];
        y[i] = x[i] / 10 + x[i] % m + i / 3 + i % 7 + u / 11u + u % 13u + x[i] / (m + 1);
    }
}
