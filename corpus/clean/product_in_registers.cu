// A matrix product with a 2x2 piece of the result in the registers of each thread.
// launch: --grid 2x1 --block 16x16 --arg m=30 --arg n=56 --arg k=24 --buffer a=4*m*k --buffer b=4*k*n --buffer c=4*m*n
// params: m,n,k,a,b,c
// expect-none
extern "C" __global__ void product_in_registers(int m, int n, int k, const float* a, const float* b,
                                                float* c)
{
    __shared__ float ta[2][16][16], tb[2][16][16];
    int x = threadIdx.x, y = threadIdx.y, left = blockIdx.x * 32, top = blockIdx.y * 32;
    float sum[2][2] = {};
    for (int first = 0; first < k; first += 16) {
        for (int half = 0; half < 2; half++) {
            int row = top + y + 16 * half, column = left + x + 16 * half;
            ta[half][y][x] = row < m && first + x < k ? a[row * k + first + x] : 0.0f;
            tb[half][y][x] = first + y < k && column < n ? b[(first + y) * n + column] : 0.0f;
        }
        __syncthreads();
        for (int j = 0; j < 16; j++)
            for (int r = 0; r < 2; r++)
                for (int s = 0; s < 2; s++)
                    sum[r][s] += ta[r][y][j] * tb[s][j][x];
        __syncthreads();
    }
    for (int r = 0; r < 2; r++)
        for (int s = 0; s < 2; s++)
            if (top + y + 16 * r < m && left + x + 16 * s < n)
                c[(top + y + 16 * r) * n + left + x + 16 * s] = sum[r][s];
}
