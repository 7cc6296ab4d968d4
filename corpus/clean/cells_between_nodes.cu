// Means of the cells between the nodes of a grid, which has one cell less than nodes along each axis.
// launch: --grid 3x5x9 --block 32x8 --arg nx=90 --arg ny=40 --arg nz=10 --buffer node=4*nx*ny*nz --buffer cell=4*(nx-1)*(ny-1)*(nz-1)
// params: node,cell,nx,ny,nz
// expect-none
extern "C" __global__ void cells_between_nodes(const float* node, float* cell, unsigned nx, unsigned ny, unsigned nz)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x + 1 >= nx || y + 1 >= ny || z + 1 >= nz)
        return;
    const float *low = node + (z * ny + y) * nx + x, *high = low + ny * nx;
    float sum = low[0] + low[1] + low[nx] + low[nx + 1] + high[0] + high[1] + high[nx] + high[nx + 1];
    cell[(z * (ny - 1) + y) * (nx - 1) + x] = 0.125f * sum;
}
// contract: requires nx*ny*nz + nx + ny + nz <= nx*ny + nx*nz + ny*nz + 2**32 + 1
// contract: node = 4*nx*ny*nz@4
// contract: cell = 4*nx*ny*nz - 4*nx*ny - 4*nx*nz - 4*ny*nz + 4*nx + 4*ny + 4*nz - 4@4
