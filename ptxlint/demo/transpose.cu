// Transposes a matrix through a tile in shared memory. Two flaws are left in on purpose.
// launch: --block 32x32 --grid 4x4 --arg width=100 --arg height=120 --buffer in=4*width*height --buffer out=4*width*height
// params: out,in,width,height
extern "C" __global__ void transpose(float* out, const float* in, int width, int height)
{
    __shared__ float tile[32][32];
    int column = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 32 + threadIdx.y;
    if (column < width && row <= height)
        tile[threadIdx.y][threadIdx.x] = in[row * width + column];
    __syncthreads();

    column = blockIdx.y * 32 + threadIdx.x;
    row = blockIdx.x * 32 + threadIdx.y;
    if (column < height && row < width)
        out[row * height + column] = tile[threadIdx.x][threadIdx.y];
}
