// Two threads share a row, so a block fills its planes of as many rows as it has in two turns, half of them in each.
// launch: --grid 2 --block 32x4x2 --arg width=32 --arg plane=256 --buffer out=4*2*2*plane
// params: out,width,plane
// expect-none
extern "C" __global__ void rows_of_half_a_block(float* out, int width, int plane)
{
    const int half = blockDim.y >> 1;
#pragma unroll
    for (int turn = 0; turn < 2; turn++) {
        const int row = turn * blockDim.z * half + threadIdx.z * half + (threadIdx.y >> 1);
        const int column = threadIdx.x + (threadIdx.y & 1) * blockDim.y * width;
        out[(blockIdx.x * blockDim.z + row / blockDim.y) * plane + row % blockDim.y * width + column] = 1.0f;
    }
}
// contract: requires plane >= 0
// contract: out = 4*nctaid.x*ntid.z*plane + 8*ntid.y*width + 4*ntid.x - 4*plane - 4*width@4
