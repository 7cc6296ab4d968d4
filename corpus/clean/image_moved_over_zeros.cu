// An image moved by a number of columns and rows; what lies outside is zero.
// launch: --grid 2x3 --block 32x4 --arg w=64 --arg h=9 --arg right=-3 --arg down=2 --buffer x=4*w*h --buffer y=4*w*h
// params: w,h,right,down,x,y
// expect-none
extern "C" __global__ void image_moved_over_zeros(int w, int h, int right, int down, const float* x, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= w || j >= h)
        return;
    int column = i - right, row = j - down;
    bool outside = column < 0 || row < 0 || column >= w || row >= h;
    y[j * w + i] = outside ? 0.0f : x[row * w + column];
}
// contract: requires h*w <= 2**31
// contract: x = 4*h*w@4
