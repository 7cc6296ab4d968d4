// Each half-warp reads 16 floats of its own row, one off a sector boundary: 6 sectors for 4.
// launch: --grid 2 --block 128 --arg pitch=1024 --buffer x=4*16*pitch --buffer y=4*256
// params: pitch,x,y
extern "C" __global__ void half_warp_rows_shifted(int pitch, const float* x, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int row = i / 16;
    int column = i % 16 + 1;
    float v = x[row * pitch + column];  // expect: uncoalesced-access
    y[i] = v;
}
