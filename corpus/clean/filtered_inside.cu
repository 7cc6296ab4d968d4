// A filter of a given side over the inside of an image: rows of the result are shorter by the side less one.
// launch: --grid 3x5 --block 32x8 --arg width=90 --arg height=40 --arg side=5 --buffer x=4*width*height --buffer weights=4*side*side --buffer y=4*max(width-side+1,0)*max(height-side+1,0)
// params: x,weights,y,width,height,side
// expect-none
extern "C" __global__ void filtered_inside(const float* x, const float* weights, float* y, int width, int height, int side)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    int columns = width - side + 1, rows = height - side + 1;
    if (i >= columns || j >= rows)
        return;
    float sum = 0;
    for (int v = 0; v < side; v++)
        for (int u = 0; u < side; u++)
            sum += weights[v * side + u] * x[(j + v) * width + i + u];
    y[j * columns + i] = sum;
}
// contract: requires side >= 0
// contract: x = 4*height*width@4
// contract: weights = 4*side*side@4
// contract: y = 4*side*side + 4*height*width - 4*height*side - 4*side*width + 4*height + 4*width - 8*side + 4@4
