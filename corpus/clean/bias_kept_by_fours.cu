// Warps of a block keep the bias of all columns as vectors, by a signed quarter of the counter; each adds it to a row.
// launch: --grid 3 --block 32x4 --arg rows=1..12 --arg cols=4..256 --need "cols % 4 == 0" --shared 4*cols --buffer x=4*rows*cols --buffer bias=4*cols
// params: x,bias,rows,cols
// expect-none
extern "C" __global__ void bias_kept_by_fours(float* x, const float* bias, int rows, int cols)
{
    extern __shared__ float4 kept[];
    for (int c = 4 * (threadIdx.x + 32 * threadIdx.y); c < cols; c += 128 * blockDim.y)
        kept[c / 4] = *reinterpret_cast<const float4*>(bias + c);
    __syncthreads();
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row < rows)
        for (int c = threadIdx.x; c < cols; c += 32)
            x[row * cols + c] += reinterpret_cast<const float*>(kept)[c];
}
// contract: shared = 16*((cols + 3)//4)
