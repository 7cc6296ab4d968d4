// A warp a row, and a guard that lets warp n pass, which the grid does not have; its loop is unrolled.
// launch: --grid 4 --block 64 --arg n=8 --arg cols=150 --buffer out=4*n*cols --buffer in=4*n*cols
// params: out,in,n,cols
// expect-none
extern "C" __global__ void rows_of_warps_up_to_n(float* out, const float* in, int n, int cols)
{
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row > n)
        return;
    for (int c = lane; c < cols; c += 32)
        out[row * cols + c] = in[row * cols + c] + 1.0f;
}
// contract: requires cols*n <= 2**31 - 128
// contract: in = min(4*cols*n + 4*cols, 4*((ntid.x + 31)//32)*cols*nctaid.x)@4
