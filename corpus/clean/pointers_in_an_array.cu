// Two buffers by the parity of the step: their pointers are in an array in local memory.
// launch: --grid 4 --block 64 --arg n=200 --arg steps=5 --buffer x=4*n --buffer y=4*n
// params: x,y,n,steps
// expect-none
extern "C" __global__ void pointers_in_an_array(float* x, float* y, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float* buffer[2] = {x, y};
    for (int step = 0; step < steps; step++)
        buffer[(step + 1) & 1][i] = 0.5f * buffer[step & 1][i];
}
