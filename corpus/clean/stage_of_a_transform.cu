// A stage of transforms of rows of n elements: pairs half of n apart become pairs that are as far apart as is already done.
// launch: --grid 6x7 --block 96 --arg n=1024 --arg done=16 --buffer x=4*n*7 --buffer y=4*n*7
// params: x,y,n,done
// expect-none
extern "C" __global__ void stage_of_a_transform(const float* x, float* y, int n, int done)
{
    int half = n >> 1;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= half) return;
    const float* row = x + (size_t)blockIdx.y * n;
    float* out = y + (size_t)blockIdx.y * n;
    int k = i & (done - 1);
    float a = row[i], b = row[i + half];
    int to = ((i - k) << 1) + k;
    out[to] = a + b;
    out[to + done] = a - b;
}
// contract: requires 2**31 % done == 0
// contract: x = 4*n*nctaid.y@4
// contract: y = max(8*(((n//2) - 1)//done)*done + 4*n*nctaid.y + 8*done - 4*n, 4*n*nctaid.y - 4)@4
