// A triangle of a matrix, scaled: strides of the grid over columns, and over the rows of each, of which a choice gives the last.
// launch: --grid 2x3 --block 16x4 --arg pitch=52 --arg rows=50 --arg cols=43 --arg part=2 --arg s=0.5 --buffer x=4*pitch*(cols-1)+4*rows --buffer y=4*pitch*(cols-1)+4*rows
// params: x,y,pitch,rows,cols,part,s
// expect-none
extern "C" __global__ void triangle_scaled_by_strides(const float* x, float* y, int pitch, int rows, int cols,
                                                      int part, float s)
{
    for (int j = blockIdx.y * blockDim.y + threadIdx.y; j < cols; j += gridDim.y * blockDim.y) {
        int first = part == 1 ? j : 0, end = part == 2 ? min(j + 1, rows) : rows;
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < end; i += gridDim.x * blockDim.x)
            if (i >= first) y[(size_t)j * pitch + i] = s * x[(size_t)j * pitch + i];
    }
}
// contract: requires pitch >= 0
// contract: x = 4*cols*pitch + 4*rows - 4*pitch@4
