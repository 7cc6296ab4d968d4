// Rows of pairs, each turned, as in a rotary embedding: the last pair of the last row ends the buffer.
// launch: --grid 1,3 --block 32 --arg n=60 --arg stride=64 --buffer x=752 --buffer y=752 --buffer turn=12
// params: n,stride,x,y,turn
// expect-none
extern "C" __global__ void pairs_rotated_in_rows(int n, int stride, const float* x, float* y,
                                                 const float* turn)
{
    int i = 2 * (blockDim.x * blockIdx.x + threadIdx.x);
    if (i >= n)
        return;
    int row = blockDim.y * blockIdx.y + threadIdx.y, at = row * stride + i;
    float by = turn[row];
    float2 pair = *(const float2*)(x + at);
    *(float2*)(y + at) = make_float2(pair.x - pair.y * by, pair.x * by + pair.y);
}
