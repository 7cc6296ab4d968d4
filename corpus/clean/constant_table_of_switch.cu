// A table that a switch becomes: strides of four axes, the axis is a parameter.
// launch: --grid 1 --block 64 --arg axis=2 --buffer x=4*64*8 --buffer y=4*64
// params: axis,x,y
// expect-none
__constant__ int stride[4] = {1, 2, 4, 8};
extern "C" __global__ void constant_table_of_switch(unsigned axis, const int* x, int* y)
{
    if (axis < 4)
        y[threadIdx.x] = x[64 * (axis + 1) + threadIdx.x] * stride[axis];
}
