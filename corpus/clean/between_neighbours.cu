// A signal is made twice as long: each element is the mean of two neighbours, and the last one has no right one.
// launch: --grid 2 --block 64 --arg n=50 --arg out=100 --buffer y=400 --buffer x=200
// params: y,x,n,out
// expect-none
extern "C" __global__ void between_neighbours(float* y, const float* x, int n, int out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= out) return;
    const int left = min(i / 2, n - 1);
    const int right = left + (left < n - 1 ? 1 : 0);
    y[i] = 0.5f * (x[left] + x[right]);
}
// contract: requires n >= 1
// contract: x = min(4*((out + 4)//2), 4*n)@4
// contract: y = 4*out@4
