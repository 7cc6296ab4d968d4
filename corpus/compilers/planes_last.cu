// Images in planes become images in pixels: what divisions leave is put together in another order.
// launch: --grid 2 --block 64 --arg n=128 --arg planes=4 --arg height=4 --arg width=8 --buffer y=4*n --buffer x=4*n
// params: y,x,n,planes,height,width
extern "C" __global__ void planes_last(float* y, const float* x, int n, int planes, int height, int width)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        int column = i % width, row = i / width % height, plane = i / (width * height) % planes;
        int image = i / (width * height * planes);
        y[((image * height + row) * width + column) * planes + plane] = x[i];  // expect: uncoalesced-access
    }
}
// contract: requires height*planes*width <= 2**31 - 1
// contract: y = 4*((n - 1)//(height*planes*width))*height*planes*width + 4*height*planes*width@4
