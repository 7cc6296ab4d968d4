// The right neighbour is read where the block and the array have one.
// launch: --grid 4 --block 256 --arg n=256..1024 --buffer x=4*n --buffer y=4*n
// params: n,x,y
// expect-none
extern "C" __global__ void halo_within_the_array(int n, const float* x, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float right = 0.0f;
        if (threadIdx.x != blockDim.x - 1 && i + 1 < n)
            right = x[i + 1];
        y[i] = x[i] + right;
    }
}
