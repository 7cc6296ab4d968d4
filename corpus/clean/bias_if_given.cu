// A bias is added to each row, and a mask is read, only where pointers to them are given.
// launch: --grid 8 --block 64 --arg cols=200 --arg rows=8 --buffer x=4*rows*cols --buffer y=4*rows*cols
// launch: --buffer 'bias=4*cols or null' --buffer 'mask=rows*cols or null'
// params: x,bias,mask,y,cols,rows
// expect-none
extern "C" __global__ void bias_if_given(const float* x, const float* bias, const unsigned char* mask,
                                         float* y, int cols, int rows)
{
    int row = blockIdx.x;
    if (row >= rows)
        return;
    mask += row * cols * (mask != nullptr);
    for (int col = threadIdx.x; col < cols; col += blockDim.x) {
        float value = x[row * cols + col] + (bias ? bias[col] : 0.0f);
        if (mask != nullptr && mask[col] == 0)
            value = 0.0f;
        y[row * cols + col] = value;
    }
}
