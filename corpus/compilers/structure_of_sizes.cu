// Sizes and strides in one structure by value, the pointers beside it.
// launch: --grid 2x2 --block 32x4 --arg shape.0=0..8 --arg shape.4=0..64 --arg shape.8=64..70
// launch: --arg shape.16=0.5 --buffer x=4*shape.0*shape.8 --buffer y=4*shape.0*shape.8
// params: shape,x,y
// expect-none
struct Shape { int rows, columns; long long pitch; float scale; };
extern "C" __global__ void structure_of_sizes(Shape shape, const float* x, float* y)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < shape.rows && column < shape.columns)
        y[row * shape.pitch + column] = shape.scale * x[row * shape.pitch + column];
}
