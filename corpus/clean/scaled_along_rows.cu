// A square block whose threads along x are neighbours of a row: a warp touches four sectors for 128 bytes.
// launch: --grid 2x2 --block 32x32 --arg n=64 --buffer x=4*n*n --buffer y=4*n*n
// params: n,x,y
// expect-none
extern "C" __global__ void scaled_along_rows(int n, const float* x, float* y)
{
    int row = blockIdx.y * 32 + threadIdx.y;
    int column = blockIdx.x * 32 + threadIdx.x;
    float v = x[row * n + column];
    y[row * n + column] = 2.0f * v;
}
