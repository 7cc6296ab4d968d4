// A loop that counts down from the length instead of the last index.
// launch: --grid 1 --block 64 --arg n=200 --buffer x=4*n
// params: n,x
extern "C" __global__ void loop_counting_down_from_length(int n, float* x)
{
    for (int i = n - static_cast<int>(threadIdx.x); i >= 0; i -= blockDim.x)
        x[i] = x[i] * x[i];  // expect: out-of-bounds
}
