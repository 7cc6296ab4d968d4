// Bytes as places in a table of 64 numbers, between two of which a value lies.
// launch: --grid 3 --block 128 --arg n=300 --buffer x=n --buffer table=256 --buffer y=4*n
// params: x,table,y,n
// expect-none
extern "C" __global__ void levels_of_bytes(const unsigned char* x, const float* table, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float at = x[i] * (62 / 255.0f);
    int low = (int)at;
    y[i] = table[low] + (at - low) * (table[low + 1] - table[low]);
}
// contract: requires nctaid.x*ntid.x <= 2**31
// contract: table = 256@4
// contract: x = n@1
