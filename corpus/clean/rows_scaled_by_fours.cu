// A warp a row of float4: rows begin at whole vectors because their length is a multiple of four.
// launch: --grid 2 --block 64 --arg rows=1..4 --arg cols=4..260 --need "cols % 4 == 0" --buffer x=4*rows*cols --buffer gamma=4*cols
// params: x,gamma,rows,cols
// expect-none
extern "C" __global__ void rows_scaled_by_fours(float* x, const float* gamma, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= rows)
        return;
    float4* line = reinterpret_cast<float4*>(x + (size_t)row * cols);
    const float4* by = reinterpret_cast<const float4*>(gamma);
    for (int c = threadIdx.x % 32; c < cols / 4; c += 32) {
        float4 v = line[c], g = by[c];
        line[c] = make_float4(v.x * g.x, v.y * g.y, v.z * g.z, v.w * g.w);
    }
}
// contract: requires cols % 4 == 0
// contract: x = 4*cols*rows@16
// contract: gamma = 4*cols@16
