// Maxima of windows, moved by a stride, in each plane of a batch; windows at the border are cut.
// launch: --grid 10 --block 64 --arg n=640 --arg channels=1 --arg height=10 --arg width=64 --arg rows=10 --arg columns=64 --arg size=3 --arg stride=1 --arg pad=1 --buffer x=2560 --buffer y=4*n
// params: n,x,y,channels,height,width,rows,columns,size,stride,pad
// expect-none
extern "C" __global__ void planes_pooled(int n, const float* x, float* y, int channels, int height, int width,
    int rows, int columns, int size, int stride, int pad)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        int column = i % columns, row = i / columns % rows;
        int channel = i / columns / rows % channels, image = i / columns / rows / channels;
        int top = row * stride - pad, left = column * stride - pad;
        int bottom = min(top + size, height), right = min(left + size, width);
        top = max(top, 0), left = max(left, 0);
        const float* plane = x + (image * channels + channel) * height * width;
        float most = -1e30f;
        for (int h = top; h < bottom; ++h)
#pragma unroll 1
            for (int w = left; w < right; ++w)
                most = fmaxf(most, plane[h * width + w]);
        y[i] = most;
    }
}
// contract: requires rows >= 1
// contract: x = 4*(((n - 1)//columns)//rows)*height*width + 4*height*width@4
