// Two stages in shared memory take turns: one is filled while the other is read.
// launch: --grid 2 --block 64 --arg steps=5 --buffer x=4*128*steps --buffer y=4*128
// params: steps,x,y
// expect-none
extern "C" __global__ void shared_two_stages(int steps, const float* x, float* y)
{
    __shared__ float stage[2][64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    float sum = 0.0f;
    stage[0][t] = x[i];
    for (int k = 0; k < steps; k++) {
        __syncthreads();
        if (k + 1 < steps)
            stage[(k + 1) & 1][t] = x[128 * (k + 1) + i];
        sum += stage[k & 1][63 - t];
    }
    y[i] = sum;
}
