// Matrices decomposed by blocks in shared memory: each step updates what is left, a thread for each element of that.
// launch: --grid 3 --block 64 --arg n=12 --buffer a=4*3*n*n
// params: a,n
extern "C" __global__ void rest_of_a_matrix(float* a, int n)
{
    __shared__ float tile[32][33];
    if (n > 32) return;
    a += blockIdx.x * n * n;
    for (int i = threadIdx.x; i < n * n; i += blockDim.x) tile[i / n][i % n] = a[i];  // expect: shared-bank-conflict
    __syncthreads();
    for (int k = 0; k < n; ++k) {
        int rest = n - k - 1;
        for (int e = threadIdx.x; e < rest * rest; e += blockDim.x) {
            int i = k + 1 + e / rest, j = k + 1 + e % rest;
            tile[i][j] -= tile[i][k] / tile[k][k] * tile[k][j];  // expect: shared-bank-conflict
        }
        __syncthreads();
    }
    for (int i = threadIdx.x; i < n * n; i += blockDim.x) a[i] = tile[i / n][i % n];  // expect: shared-bank-conflict
}
