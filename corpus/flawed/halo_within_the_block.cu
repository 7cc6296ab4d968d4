// The right neighbour is read wherever the block has one: the last thread of the grid has none in the array.
// launch: --grid 4 --block 256 --arg n=256..1024 --buffer x=4*n --buffer y=4*n
// params: n,x,y
extern "C" __global__ void halo_within_the_block(int n, const float* x, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float right = 0.0f;
        if (threadIdx.x != blockDim.x - 1)
            right = x[i + 1];  // expect: out-of-bounds
        y[i] = x[i] + right;
    }
}
