// Maxima of windows of a given size and stride in a row; windows at the border are cut.
// launch: --grid 2 --block 32 --arg n=40 --arg width=43 --arg size=5 --arg stride=1 --arg border=1 --buffer in=4*width --buffer out=4*n
// params: n,width,size,stride,border,in,out
// expect-none
extern "C" __global__ void window_cut_at_both_ends(
    int n, int width, int size, int stride, int border, const float* in, float* out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    int first = t * stride - border, last = min(first + size, width);
    float most = -3.0e38f;
    for (int i = max(first, 0); i < last; i++)
        most = fmaxf(most, in[i]);
    out[t] = most;
}
// contract: requires nctaid.x*ntid.x <= 2**31
// contract: in = 4*width@4
// contract: out = 4*n@4
