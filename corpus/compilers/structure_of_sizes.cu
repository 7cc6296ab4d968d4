// Sizes and strides in one structure by value, the pointers beside it.
// launch: --grid 2x2 --block 32x4 --buffer x=4096 --buffer y=4096
// params: shape,x,y
// expect-none
struct Shape { int rows, columns; long long pitch; float scale; };
extern "C" __global__ void structure_of_sizes(Shape shape, const float* x, float* y)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < shape.rows && column < shape.columns)
        y[row * shape.pitch + column] = shape.scale * x[row * shape.pitch + column];
}
