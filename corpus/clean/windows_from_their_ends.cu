// Sums of windows, of which the last elements count most: each from its end, the borders cut off.
// launch: --grid 1 --block 64 --arg n=2 --arg r=9 --arg decay=0.5 --buffer x=4*n --buffer y=4*n
// params: x,y,n,r,decay
// expect-none
extern "C" __global__ void windows_from_their_ends(const float* x, float* y, int n, int r,
                                                   float decay)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int j = min(i + r, n - 1); j >= max(i - r, 0); j--)
        sum = sum * decay + x[j];
    y[i] = sum;
}
// contract: requires nctaid.x*ntid.x <= 2**31
// contract: x = 4*n@4
// contract: y = 4*n@4
