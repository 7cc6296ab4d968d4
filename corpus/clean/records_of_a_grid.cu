// The first threads of a block read as many records of a row as steps are taken, from the block's own on.
// launch: --grid 3x2 --block 8x4x2 --arg width=9 --arg steps=7 --buffer record=4*72*2 --buffer sum=4*6*64
// params: record,sum,width,steps
// expect-none
extern "C" __global__ void records_of_a_grid(const float* record, float* sum, int width, int steps)
{
    int t = (threadIdx.z * 4 + threadIdx.y) * 8 + threadIdx.x;
    int column = blockIdx.x, row = blockIdx.y;
    float total = 0;
    for (int step = 0; step < steps; step++) {
        int at = column + step;
        if (t < 8) total += record[(row * width + at) * 8 + t];
        __syncthreads();
    }
    sum[(row * gridDim.x + column) * 64 + t] = total;
}
// contract: requires nctaid.y*width + nctaid.x + steps <= width + 2**28 + 1
// contract: record = 32*nctaid.y*width + 32*nctaid.x + 32*steps - 32*width - 32@4
