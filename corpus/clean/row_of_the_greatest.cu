// Each thread seeks the greatest of its elements, and copies the row that belongs to it.
// launch: --grid 1 --block 64 --arg n=200 --arg width=4 --buffer x=4*n --buffer rows=4*n*width --buffer y=4*64*width
// params: x,rows,y,n,width
// expect-none
extern "C" __global__ void row_of_the_greatest(const float* x, const float* rows, float* y, int n, int width)
{
    float greatest = -1e30f;
    int at = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        if (x[i] > greatest) {
            greatest = x[i];
            at = i;
        }
    }
    for (int k = 0; k < width; k++) y[k * blockDim.x + threadIdx.x] = rows[k * n + at];
}
// contract: requires n*width <= 2**31
// contract: rows = max(4*n*width - 4*n + 4, 4*n*width)@4
