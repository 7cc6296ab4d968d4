// The lower triangle of a matrix, its rows packed one behind the other, times a vector.
// launch: --grid 2 --block 32 --arg n=45 --buffer x=4*n --buffer y=4*n --buffer a=2*n*n+2*n
// params: a,x,y,n
extern "C" __global__ void rows_of_a_triangle(const float* a, const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float* row = a + i * (i + 1) / 2;
    float sum = 0.0f;
    for (int j = 0; j <= i; j++)
        sum += row[j] * x[j];  // expect: uncoalesced-access
    y[i] = sum;
}
// contract: requires nctaid.x*ntid.x <= 2**31
// contract: a = 4*((n*n + n)//2)@4
// contract: x = 4*n@4
