// Planes that are reflected at all four sides: two absolute values in the row, and two in the column.
// launch: --grid 2x9x2 --block 32x4 --arg height=20 --arg width=25 --arg left=3 --arg right=5 --arg top=9 --arg bottom=4 --buffer x=4*2*height*width --buffer y=4*2*(height+top+bottom)*(width+left+right)
// params: x,y,height,width,left,right,top,bottom
// expect-none
extern "C" __global__ void planes_reflected(const float* x, float* y, int height, int width, int left, int right,
                                            int top, int bottom)
{
    int wide = width + left + right, high = height + top + bottom;
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= wide || j >= high) return;
    int column = width - 1 - abs(width - 1 - abs(i - left)), row = height - 1 - abs(height - 1 - abs(j - top));
    y[((size_t)blockIdx.z * high + j) * wide + i] = x[((size_t)blockIdx.z * height + row) * width + column];
}
// contract: requires right + 1 <= width
// contract: x = 4*height*nctaid.z*width@4
