// A transposition made from a template over type and tile, with ragged edges.
// launch: --grid 3x2 --block 16x16 --arg rows=1..28 --arg columns=1..40 --buffer in=8*rows*columns --buffer out=8*rows*columns
// params: rows,columns,in,out
// expect-none
template <class T, int TILE> __device__ void transpose(int rows, int columns, const T* in, T* out)
{
    __shared__ T tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < columns && y < rows)
        tile[threadIdx.y][threadIdx.x] = in[y * columns + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < rows && y < columns)
        out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}
extern "C" __global__ void template_of_tile(int rows, int columns, const double* in, double* out)
{
    transpose<double, 16>(rows, columns, in, out);
}
// contract: requires 17*ntid.x + ntid.y <= 289
// contract: out = 8*columns*rows@8
