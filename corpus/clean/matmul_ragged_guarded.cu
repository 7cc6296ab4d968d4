// Tiled matrix product whose last tiles overhang the matrices, each access guarded.
// launch: --grid 2x2 --block 16x16 --arg n=24 --buffer a=4*n*n --buffer b=4*n*n --buffer c=4*n*n
// params: n,a,b,c
// expect-none
extern "C" __global__ void matmul_ragged_guarded(int n, const float* a, const float* b, float* c)
{
    __shared__ float ta[16][16], tb[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int column = blockIdx.x * 16 + x;
    int row = blockIdx.y * 16 + y;
    float sum = 0.0f;
    for (int k = 0; k < n; k += 16) {
        ta[y][x] = row < n && k + x < n ? a[row * n + k + x] : 0.0f;
        tb[y][x] = k + y < n && column < n ? b[(k + y) * n + column] : 0.0f;
        __syncthreads();
        for (int j = 0; j < 16; j++)
            sum += ta[y][j] * tb[j][x];
        __syncthreads();
    }
    if (row < n && column < n)
        c[row * n + column] = sum;
}
