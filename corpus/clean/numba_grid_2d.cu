// Numba's `cuda.grid(2)` on a matrix whose rows are the second stride apart.
// launch: --grid 2x3 --block 32x4 --arg rows=10 --arg columns=40 --arg pitch=40 --buffer x=8*rows*pitch --buffer y=8*rows*pitch
// params: rows,columns,pitch,x,y
// expect-none
extern "C" __global__ void numba_grid_2d(long long rows, long long columns, long long pitch,
                                         const double* x, double* y)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns) {
        long long r = row < 0 ? row + rows : row, c = column < 0 ? column + columns : column;
        y[r * pitch + c] = sqrt(x[r * pitch + c]);
    }
}
