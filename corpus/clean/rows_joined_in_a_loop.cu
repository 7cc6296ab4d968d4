// Rows of two matrices side by side, with 64-bit indices in a loop that nvcc unrolls by four.
// launch: --grid 2 --block 64 --arg columns=16 --arg width=24 --arg rows=12 --buffer x=4*columns*rows --buffer y=4*width*rows --buffer z=4*width*rows
// params: x,y,z,columns,width,rows
// expect-none
extern "C" __global__ void rows_joined_in_a_loop(const float* x, const float* y, float* z, long columns, long width, long rows)
{
    for (long i = (long)blockIdx.x * blockDim.x + threadIdx.x; i < rows * width; i += (long)blockDim.x * gridDim.x) {
        long row = i / width, column = i - row * width;
        z[i] = column < columns ? x[row * columns + column] : y[row * (width - columns) + column - columns];
    }
}
// contract: requires columns >= 0
// contract: x = 4*columns*rows@4
// contract: y = 4*rows*width - 4*columns*rows@4
