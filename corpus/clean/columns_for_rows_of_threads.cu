// Each of eight rows of threads sums up 67 columns in turns: a block of eight rows fits, whatever its width.
// launch: --grid 2 --block 32x8 --arg w=200 --buffer x=800 --buffer y=2048
// params: x,y,w
// expect-none
extern "C" __global__ void columns_for_rows_of_threads(const int* x, int* y, int w)
{
    __shared__ int sums[8][68];
    for (int c = threadIdx.x; c < 67; c += 32) sums[threadIdx.y][c] = x[min(w - 1, blockIdx.x * 64 + c)];
    __syncthreads();
    y[(blockIdx.x * 8 + threadIdx.y) * 32 + threadIdx.x % 32] = sums[threadIdx.y][threadIdx.x % 32 + 3];
}
// contract: requires ntid.y <= 8
// contract: x = 4*w@4
