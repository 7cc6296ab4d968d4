// L x = b for many right-hand sides: a thread a column, triangular loops.
// launch: --grid 2 --block 32 --arg n=1..7 --arg m=1..50 --buffer l=4*n*n --buffer x=4*n*m
// params: l,x,n,m
// expect-none
extern "C" __global__ void forward_substitution(const float* l, float* x, int n, int m)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= m) return;
    for (int i = 0; i < n; i++) {
        float s = x[i * m + c];
        for (int j = 0; j < i; j++) s -= l[i * n + j] * x[j * m + c];
        x[i * m + c] = s / l[i * n + i];
    }
}
