// One thread a row of a row-major matrix: at each step a warp reads a column.
// launch: --grid 1 --block 64 --arg n=64 --buffer a=4*n*n --buffer y=4*n
// params: n,a,y
extern "C" __global__ void sums_of_rows(int n, const float* a, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[i * n + k];  // expect: uncoalesced-access
    y[i] = sum;
}
