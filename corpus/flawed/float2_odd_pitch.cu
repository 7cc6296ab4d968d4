// Rows of 65 floats read in pairs: every second row starts at an odd multiple of 4 bytes.
// launch: --grid 2 --block 32x4 --arg pitch=65 --buffer x=32*pitch --buffer y=8*256
// params: pitch,x,y
extern "C" __global__ void float2_odd_pitch(int pitch, const float* x, float2* y)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    const float2* line = reinterpret_cast<const float2*>(x + row * pitch);
    float2 v = line[threadIdx.x];  // expect: misaligned-access
    y[row * 32 + threadIdx.x] = make_float2(v.y, v.x);
}
