// The parts of a row, at most 32 of them, one a thread of the first warp, which compares its number with their count.
// launch: --grid 10 --block 64 --arg parts=6 --arg rows=10 --buffer x=4*6*10 --buffer y=40
// params: x,y,parts,rows
extern "C" __global__ void parts_weighed_by_a_warp(const float* x, float* y, int parts, int rows)
{
    __shared__ float weights[32];
    int row = blockIdx.x;
    if (threadIdx.x < 32) weights[threadIdx.x] = threadIdx.x < parts ? x[threadIdx.x * rows + row] : 0.0f;  // expect: uncoalesced-access
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < parts; ++k) sum += weights[k];
    if (threadIdx.x == 0) y[row] = sum;
}
// contract: requires parts >= 0
// contract: x = 4*parts*rows + 4*nctaid.x - 4*rows@4
// contract: y = 4*nctaid.x@4
