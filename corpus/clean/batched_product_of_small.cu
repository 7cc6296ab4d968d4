// Products of 4x4 matrices, sixteen threads a matrix, as many matrices to a block as fit.
// launch: --grid 2 --block 64 --arg batch=7 --buffer a=4*16*batch --buffer b=4*16*batch --buffer c=4*16*batch
// params: batch,a,b,c
// expect-none
extern "C" __global__ void batched_product_of_small(int batch, const float* a, const float* b,
                                                    float* c)
{
    __shared__ float left[64], right[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t, item = i / 16;
    if (item < batch) {
        left[t] = a[i];
        right[t] = b[i];
    }
    __syncthreads();
    if (item >= batch)
        return;
    int first = t & ~15, row = t / 4 % 4, column = t % 4;
    float sum = 0.0f;
    for (int k = 0; k < 4; k++)
        sum += left[first + 4 * row + k] * right[first + 4 * k + column];
    c[i] = sum;
}
// contract: requires ntid.x <= 64
// contract: a = 64*batch@4
