// Rows of 66 floats read in pairs: every row starts at a multiple of 8 bytes.
// launch: --grid 2 --block 32x4 --arg pitch=66 --buffer x=32*pitch --buffer y=8*256
// params: pitch,x,y
// expect-none
extern "C" __global__ void float2_even_pitch(int pitch, const float* x, float2* y)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    const float2* line = reinterpret_cast<const float2*>(x + row * pitch);
    float2 v = line[threadIdx.x];
    y[row * 32 + threadIdx.x] = make_float2(v.y, v.x);
}
