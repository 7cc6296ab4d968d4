// Each row but the last becomes the one below it: the guard leaves out one number of a row.
// launch: --grid 2x3 --block 32x4 --arg w=50 --arg h=11 --arg pitch=64 --buffer in=4*h*pitch --buffer out=4*h*pitch
// params: in,out,w,h,pitch
// expect-none
extern "C" __global__ void rows_moved_up(const float* in, float* out, int w, int h, int pitch)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h || y == h - 1)
        return;
    out[y * pitch + x] = in[(y + 1) * pitch + x];
}
// contract: requires h*pitch + w <= pitch + 2**31
// contract: in = 4*h*pitch + 4*w - 4*pitch@4
// contract: out = 4*h*pitch + 4*w - 8*pitch@4
