// Each half-warp reads 16 floats of its own row from a sector boundary: 4 sectors for 4.
// launch: --grid 2 --block 128 --arg pitch=1024 --buffer x=4*16*pitch --buffer y=4*256
// params: pitch,x,y
// expect-none
extern "C" __global__ void half_warp_rows_aligned(int pitch, const float* x, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int row = i / 16;
    int column = i % 16;
    float v = x[row * pitch + column];
    y[i] = v;
}
// contract: requires pitch >= 16
// contract: x = 4*((nctaid.x*ntid.x*pitch - pitch + 16)//16)@4
