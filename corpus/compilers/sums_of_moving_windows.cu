// The sums of all windows of each row, each made of the one before it.
// launch: --grid 2 --block 32 --arg rows=50 --arg n=21 --arg width=6 --buffer x=4*rows*n --buffer y=4*rows*(n-width+1)
// params: x,y,rows,n,width
extern "C" __global__ void sums_of_moving_windows(const float* x, float* y, int rows, int n, int width)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float* from = x + (size_t)row * n;
    float* to = y + (size_t)row * (n - width + 1);
    float sum = 0;
    for (int i = 0; i < width; ++i) sum += from[i];  // expect: uncoalesced-access
    to[0] = sum;  // expect: uncoalesced-access
    for (int i = width; i < n; ++i) {
        sum += from[i] - from[i - width];  // expect: uncoalesced-access
        to[i - width + 1] = sum;  // expect: uncoalesced-access
    }
}
// contract: requires width <= n + 1
// contract: x = max(4*n*rows + 4*width - 4*n, 4*n*rows)@4
// contract: y = max(4*n*rows - 4*rows*width + 4*rows + 4*width - 4*n, 4*n*rows - 4*rows*width + 4*rows)@4
