// Planes moved by rows and columns, zeros come in: a guard compares what divisions leave, and the index is put together again.
// launch: --grid 2 --block 64 --arg planes=2 --arg height=8 --arg width=8 --arg right=1 --arg down=-2 --buffer x=4*planes*height*width --buffer y=4*planes*height*width
// params: x,y,planes,height,width,right,down
// expect-none
extern "C" __global__ void planes_moved(
    const float* x, float* y, int planes, int height, int width, int right, int down)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= planes * height * width) return;
    int column = i % width + right, row = i / width % height + down, plane = i / width / height;
    bool inside = column >= 0 && column < width && row >= 0 && row < height;
    y[i] = inside ? x[(plane * height + row) * width + column] : 0;
}
// contract: requires nctaid.x*ntid.x <= 2**31
// contract: x = 4*height*planes*width@4
// contract: y = 4*height*planes*width@4
