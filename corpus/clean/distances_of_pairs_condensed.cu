// Distances of all pairs i < j, in the order of scipy's pdist: what is above the diagonal, by rows.
// launch: --grid 3x5 --block 32x8 --arg n=40 --arg dim=6 --buffer x=4*n*dim
// launch: --buffer distances=4*(n*(n-1)//2)
// params: x,distances,n,dim
// expect-none
extern "C" __global__ void distances_of_pairs_condensed(const float* x, float* distances, int n,
                                                        int dim)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (j >= n || i >= j)
        return;
    float sum = 0.0f;
    for (int k = 0; k < dim; ++k) {
        float apart = x[k * n + i] - x[k * n + j];
        sum += apart * apart;
    }
    distances[i * n - i * (i + 1) / 2 + (j - i - 1)] = sqrtf(sum);
}
// contract: requires n*n <= 3*n + 2**31 - 3
// contract: x = 4*dim*n@4
// contract: distances = 4*((n*n - n + 1)//2)@4
