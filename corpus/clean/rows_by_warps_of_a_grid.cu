// Each warp takes rows of 32 in steps of all warps of the grid, in blocks of any shape; a word of 16 bits holds their number.
// launch: --grid 3 --block 16x4x2 --arg rows=1..40 --buffer x=128*rows --buffer y=128*rows
// params: x,y,rows
// expect-none
extern "C" __global__ void rows_by_warps_of_a_grid(const float* x, float* y, int rows)
{
    unsigned rank = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    unsigned short warp = rank / 32, warps = (blockDim.x * blockDim.y * blockDim.z + 31) / 32;
#pragma unroll 1
    for (int row = blockIdx.x * warps + warp; row < rows; row += gridDim.x * warps)
        y[32 * row + rank % 32] = x[32 * row + rank % 32];
}
// contract: requires ntid.x*ntid.y*ntid.z + 2048*nctaid.x <= 2**36 + 1024
// contract: x = 128*rows@4
// contract: y = 128*rows@4
