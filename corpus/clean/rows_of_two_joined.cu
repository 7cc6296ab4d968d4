// Two stacks of matrices, one above the other, by a kernel that joins along any axis: no column is beside the first.
// launch: --grid 12,2 --block 64 --arg planes=2 --arg rows=8 --arg own=100 --arg cols=100
// launch: --arg pitch=100 --arg height=400
// launch: --buffer x=4*own*rows*planes --buffer y=4*height*planes --buffer z=4*cols*12*planes
// params: x,y,z,planes,rows,own,cols,pitch,height
// expect-none
extern "C" __global__ void rows_of_two_joined(const float* x, const float* y, float* z, long long planes,
                                              long long rows, long long own, long long cols, long long pitch,
                                              long long height)
{
    long long row = blockIdx.x, plane = blockIdx.y;
    for (long long col = threadIdx.x; col < cols; col += blockDim.x) {
        const float* from;
        if (col < own && row < rows && plane < planes)
            from = x + (plane * rows + row) * own + col;
        else
            from = y + plane * height + (row - rows) * pitch + col;
        z[(plane * gridDim.x + row) * cols + col] = *from;
    }
}
