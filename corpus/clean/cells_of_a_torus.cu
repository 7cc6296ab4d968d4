// A field without borders: neighbours two cells away, by what a division of numbers that may be negative leaves.
// launch: --grid 2x13 --block 32 --arg width=50 --arg height=13 --buffer x=4*13*50 --buffer y=4*13*50
// params: x,y,width,height
// expect-none
__device__ __forceinline__ int around(int i, int n)
{
    i %= n;
    return i < 0 ? i + n : i;
}
extern "C" __global__ void cells_of_a_torus(const float *x, float *y, int width, int height)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (column >= width || row >= height) return;
    y[row * width + column] = x[around(row - 2, height) * width + column] + x[row * width + around(column + 2, width)];
}
// contract: requires height*width <= 2**31
// contract: x = 4*height*width@4
// contract: y = 4*height*width@4
