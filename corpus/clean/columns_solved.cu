// Each column is solved forwards, and then back: the second loop begins where the first one ended.
// launch: --grid 2 --block 32 --arg nx=50 --arg ny=9 --buffer u=1800 --buffer c=1600
// params: u,c,nx,ny
// expect-none
extern "C" __global__ void columns_solved(float* u, float* c, int nx, int ny)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= nx) return;
    int at = column;
    float d = u[at];
    c[at] = d;
    for (int i = 1; i < ny; ++i) {
        at += nx;
        d = u[at] - 0.5f * d;
        if (i < ny - 1) c[at] = d;
        u[at] = d;
    }
    for (int i = ny - 2; i >= 0; --i) {
        at -= nx;
        d = u[at] - c[at] * d;
        u[at] = d;
    }
}
// contract: requires nctaid.x*ntid.x <= 2**31
// contract: u = max(4*nx, 4*nx*ny)@4
