// A stencil that marches through the planes of a volume: three values stay in registers.
// launch: --grid 1x2 --block 32x4 --arg nx=24 --arg ny=7 --arg nz=6 --buffer in=4*nx*ny*nz --buffer out=4*nx*ny*nz
// params: nx,ny,nz,in,out
// expect-none
extern "C" __global__ void stencil_marching(int nx, int ny, int nz, const float* in, float* out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny || nz < 3)
        return;
    int plane = nx * ny, i = y * nx + x;
    float below = in[i], here = in[i + plane];
    for (int z = 1; z < nz - 1; z++) {
        float above = in[i + (z + 1) * plane];
        out[i + z * plane] = below - 2.0f * here + above;
        below = here;
        here = above;
    }
}
