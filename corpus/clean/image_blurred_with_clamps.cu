// A 3x3 mean whose columns and rows are clamped to the edges of the image.
// launch: --grid 2x3 --block 32x4 --arg w=64 --arg h=9 --buffer x=4*w*h --buffer y=4*w*h
// params: w,h,x,y
// expect-none
extern "C" __global__ void image_blurred_with_clamps(int w, int h, const float* x, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= w || j >= h)
        return;
    float sum = 0.0f;
    for (int down = -1; down <= 1; down++)
        for (int right = -1; right <= 1; right++) {
            int column = min(max(i + right, 0), w - 1), row = min(max(j + down, 0), h - 1);
            sum += x[row * w + column];
        }
    y[j * w + i] = sum / 9.0f;
}
// contract: requires h*w <= 2**31
// contract: x = 4*h*w@4
