// The sums of all windows of each row, written one behind the other.
// launch: --grid 2 --block 32 --arg rows=50 --arg n=21 --arg width=6 --buffer x=4*rows*n --buffer y=4*rows*(n-width+1)
// params: x,y,rows,n,width
extern "C" __global__ void windows_written_in_turn(const float* x, float* y, int rows, int n, int width)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float* from = x + (size_t)row * n;
    float* to = y + (size_t)row * (n - width + 1);
    float sum = 0;
    for (int i = 0; i < width - 1; ++i) sum += from[i];  // expect: uncoalesced-access
    for (int i = width - 1; i < n; ++i) {
        sum += from[i];  // expect: uncoalesced-access
        *to++ = sum;  // expect: uncoalesced-access
        sum -= from[i - width + 1];  // expect: uncoalesced-access
    }
}
// contract: requires width >= 1
// contract: y = 4*n*rows - 4*rows*width + 4*rows@4
