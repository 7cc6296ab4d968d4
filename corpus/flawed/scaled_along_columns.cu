// A square block whose threads along x are rows apart: a warp touches a sector for every element.
// launch: --grid 2x2 --block 32x32 --arg n=64 --buffer x=4*n*n --buffer y=4*n*n
// params: n,x,y
extern "C" __global__ void scaled_along_columns(int n, const float* x, float* y)
{
    int row = blockIdx.y * 32 + threadIdx.x;
    int column = blockIdx.x * 32 + threadIdx.y;
    float v = x[row * n + column];  // expect: uncoalesced-access
    y[row * n + column] = 2.0f * v;  // expect: uncoalesced-access
}
