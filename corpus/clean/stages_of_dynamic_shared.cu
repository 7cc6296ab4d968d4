// Tiles go around stages of dynamic shared memory, whose number is a parameter; each is read from its other end.
// launch: --grid 3 --block 64 --shared 256*stages --arg tiles=7 --arg stages=3 --buffer x=4*3*64*tiles --buffer y=4*3*64
// params: x,y,tiles,stages
// expect-none
extern "C" __global__ void stages_of_dynamic_shared(const float* x, float* y, int tiles, int stages)
{
    extern __shared__ float own[];
    int t = threadIdx.x, stage = 0;
    float sum = 0;
    for (int i = 0; i < tiles; i++) {
        own[stage * blockDim.x + t] = x[(blockIdx.x * tiles + i) * blockDim.x + t];
        __syncthreads();
        sum += own[stage * blockDim.x + blockDim.x - 1 - t];
        __syncthreads();
        if (++stage == stages)
            stage = 0;
    }
    y[blockIdx.x * blockDim.x + t] = sum;
}
// contract: shared = 4*ntid.x*stages
