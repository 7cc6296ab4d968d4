// A table of 16 weights in constant memory, read by a loop that stops at its end.
// launch: --grid 2 --block 64 --arg taps=16 --buffer x=4*(128+taps) --buffer y=4*128
// params: taps,x,y
// expect-none
__constant__ float weights[16];
extern "C" __global__ void constant_table_in_range(int taps, const float* x, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < taps; k++) {
        float weight = weights[k];
        sum += weight * x[i + k];
    }
    y[i] = sum;
}
