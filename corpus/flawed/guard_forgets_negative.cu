// A signed index that begins below zero and is compared with the end only.
// launch: --grid 3 --block 64 --arg n=150 --arg first=-5 --buffer x=4*n --buffer y=4*n
// params: n,first,x,y
extern "C" __global__ void guard_forgets_negative(int n, int first, const float* x, float* y)
{
    int i = first + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        y[i] = x[i] + 1.0f;  // expect: out-of-bounds
}
