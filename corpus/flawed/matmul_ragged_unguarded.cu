// Tiled matrix product whose last tiles overhang the matrices, with no guard.
// launch: --grid 2x2 --block 16x16 --arg n=24 --buffer a=4*n*n --buffer b=4*n*n --buffer c=4*n*n
// params: n,a,b,c
extern "C" __global__ void matmul_ragged_unguarded(int n, const float* a, const float* b, float* c)
{
    __shared__ float ta[16][16], tb[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int column = blockIdx.x * 16 + x;
    int row = blockIdx.y * 16 + y;
    float sum = 0.0f;
    for (int k = 0; k < n; k += 16) {
        ta[y][x] = a[row * n + k + x];  // expect: out-of-bounds
        tb[y][x] = b[(k + y) * n + column];  // expect: out-of-bounds
        __syncthreads();
        for (int j = 0; j < 16; j++)
            sum += ta[y][j] * tb[j][x];
        __syncthreads();
    }
    c[row * n + column] = sum;  // expect: out-of-bounds
}
