// A batch of matrices with strides of 64 bits: block z is the matrix, y the row.
// launch: --grid 2x3x2 --block 32x2 --arg rows=5 --arg columns=40 --arg row_stride=48 --arg batch_stride=256 --buffer x=4*2*256 --buffer y=4*2*256
// params: rows,columns,row_stride,batch_stride,x,y
// expect-none
extern "C" __global__ void batched_rows_strided(int rows, int columns, long long row_stride,
                                                long long batch_stride, const float* x, float* y)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns) {
        long long at = blockIdx.z * batch_stride + row * row_stride + column;
        y[at] = fmaxf(x[at], 0.0f);
    }
}
