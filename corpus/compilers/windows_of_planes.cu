// Sums of windows that move over the rows of planes: which place in its plane and row an element has, divisions say.
// launch: --grid 3 --block 128 --arg width=40 --arg rows=5 --arg columns=12 --arg size=7 --arg stride=3 --arg pad=2 --arg n=300 --buffer x=4*width --buffer y=4*n
// params: x,y,width,rows,columns,size,stride,pad,n
extern "C" __global__ void windows_of_planes(const float* x, float* y, int width, int rows, int columns,
                                             int size, int stride, int pad, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int start = i % (rows * columns) % columns * stride - pad;
    float sum = 0.0f;
#pragma unroll 2
    for (int j = max(0, start); j < min(width, start + size); ++j) sum += x[j];  // expect: uncoalesced-access
    y[i] = sum;
}
// contract: requires width <= 2**31 - 2
// contract: x = 4*width@4
// contract: y = 4*n@4
