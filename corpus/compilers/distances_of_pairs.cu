// Distances of all pairs of points, of which the triangle above the diagonal is packed by rows, in tiles of 16 by 16.
// launch: --grid 4x4 --block 16x16 --arg n=53 --buffer x=212 --buffer distances=2*53*52
// params: x,distances,n
extern "C" __global__ void distances_of_pairs(const float* x, float* distances, int n)
{
    if (blockIdx.y > blockIdx.x) return;
    __shared__ float rows[3][17];
    int t = threadIdx.y * 16 + threadIdx.x;
    if (t >= 64 && t < 112) {
        int s = t - 64, third = s % 3, at = s / 3;
        if (blockIdx.y * 16 + at < n) rows[third][at] = x[blockIdx.y * 16 + at];  // expect: shared-bank-conflict
    }
    __syncthreads();
    int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    if (i < j && j < n) {
        size_t k = (size_t)i * (2 * n - i - 1) / 2 + (j - i - 1);
        distances[k] = rows[0][threadIdx.y] + rows[1][threadIdx.y] + rows[2][threadIdx.y] - x[j];  // expect: uncoalesced-access
    }
}
// contract: requires ntid.y <= 17
// contract: distances = 4*((n*n - n)//2)@4
// contract: x = 4*n@4
