// Bilinear samples of planes: the next row and column are those behind, or the last one.
// launch: --grid 3 --block 64 --arg planes=2 --arg height=3 --arg width=4 --arg rows=6 --arg columns=16 --buffer x=4*planes*height*width --buffer y=4*planes*rows*columns
// params: x,y,planes,height,width,rows,columns
// expect-none
extern "C" __global__ void image_enlarged(
    const float* x, float* y, int planes, int height, int width, int rows, int columns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= planes * rows * columns) return;
    int column = i % columns, row = i / columns % rows, plane = i / columns / rows;
    float down = fmaxf((row + 0.5f) * height / rows - 0.5f, 0), along = fmaxf((column + 0.5f) * width / columns - 0.5f, 0);
    int top = min((int)down, height - 1), left = min((int)along, width - 1);
    int bottom = min(top + 1, height - 1), right = min(left + 1, width - 1);
    const float* from = x + (size_t)plane * height * width;
    down -= top;
    along -= left;
    float upper = from[top * width + left] * (1 - along) + from[top * width + right] * along;
    float lower = from[bottom * width + left] * (1 - along) + from[bottom * width + right] * along;
    y[i] = upper * (1 - down) + lower * down;
}
// contract: requires columns >= 1
// contract: x = 4*height*planes*width@4
// contract: y = 4*columns*planes*rows@4
