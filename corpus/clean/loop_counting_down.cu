// Each thread walks from the end of the vector to its start.
// launch: --grid 1 --block 64 --arg n=1..200 --buffer x=4*n
// params: n,x
// expect-none
extern "C" __global__ void loop_counting_down(int n, float* x)
{
    for (int i = n - 1 - static_cast<int>(threadIdx.x); i >= 0; i -= blockDim.x)
        x[i] = x[i] * x[i];
}
