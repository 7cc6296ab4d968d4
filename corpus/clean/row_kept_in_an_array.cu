// A row by as many whole passes of the block as it has, and what is left behind them: each thread keeps its elements.
// launch: --grid 3 --block 32 --arg n=1..2000 --buffer y=4*3*n --buffer x=4*3*n --buffer scale=4*n
// params: y,x,scale,n
// expect-none
extern "C" __global__ void row_kept_in_an_array(float* y, const float* x, const float* scale, int n)
{
    float kept[64], sum = 0, squares = 0;
    int stride = blockDim.x, passes = n / stride, id = threadIdx.x;
    int behind = passes * stride + id;
    x += blockIdx.x * n;
    y += blockIdx.x * n;
    for (int i = 0; i < passes; i++) {
        kept[i] = x[i * stride + id];
        sum += kept[i];
    }
    if (behind < n) {
        kept[passes] = x[behind];
        sum += kept[passes];
        passes++;
    }
    for (int i = 0; i < passes; i++) {
        kept[i] -= sum;
        squares += kept[i] * kept[i];
    }
    passes = n / stride;
    for (int i = 0; i < passes; i++)
        y[i * stride + id] = kept[i] * squares * scale[i * stride + id];
    if (behind < n)
        y[behind] = kept[passes] * squares * scale[behind];
}
// contract: requires ((n - 1)//ntid.x) <= 63
// contract: x = 4*n*nctaid.x@4
// contract: y = 4*n*nctaid.x@4
// contract: scale = 4*n@4
