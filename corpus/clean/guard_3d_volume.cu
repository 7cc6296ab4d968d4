// Seven-point Laplacian inside of a volume, guarded on all six sides.
// launch: --grid 1x2x3 --block 32x4x2 --arg nx=24 --arg ny=7 --arg nz=6 --buffer in=4*nx*ny*nz --buffer out=4*nx*ny*nz
// params: nx,ny,nz,in,out
// expect-none
extern "C" __global__ void guard_3d_volume(int nx, int ny, int nz, const float* in, float* out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1) {
        int i = (z * ny + y) * nx + x;
        out[i] = in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny]
               + in[i + nx * ny] - 6.0f * in[i];
    }
}
