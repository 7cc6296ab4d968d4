// Planes of twice the height and width take the nearest pixel: an index is divided by extents that are even.
// launch: --grid 2 --block 64 --arg n=128 --arg height=4 --arg width=4 --buffer y=4*n --buffer x=128
// params: y,x,n,height,width
// expect-none
extern "C" __global__ void planes_doubled(float* y, const float* x, int n, int height, int width)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        int column = i % (2 * width), row = i / (2 * width) % (2 * height), plane = i / (2 * width) / (2 * height);
        y[i] = x[(plane * height + row / 2) * width + column / 2];
    }
}
// contract: requires nctaid.x*ntid.x + n <= 2**31
// contract: x = 4*(((n - 1)//(2*width))//(2*height))*height*width + 4*height*width@4
