// Arrays as Numba passes them: owner, parent, length, item size, data, and 64-bit shape and stride.
// launch: --grid 3 --block 64 --arg a=2.0 --arg x_items=150 --arg x_size=4 --arg x_shape=150 --arg x_stride=4 --arg y_items=150 --arg y_size=4 --arg y_shape=150 --arg y_stride=4 --buffer x=4*x_shape --buffer y=4*y_shape
// params: a,x_owner,x_parent,x_items,x_size,x,x_shape,x_stride,y_owner,y_parent,y_items,y_size,y,y_shape,y_stride
// expect-none
extern "C" __global__ void numba_saxpy(
    float a, void* x_owner, void* x_parent, long long x_items, long long x_size, const char* x,
    long long x_shape, long long x_stride, void* y_owner, void* y_parent, long long y_items,
    long long y_size, char* y, long long y_shape, long long y_stride)
{
    long long i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= x_shape)
        return;
    long long from = i < 0 ? i + x_shape : i, to = i < 0 ? i + y_shape : i;
    float* here = reinterpret_cast<float*>(y + to * y_stride);
    *here = a * *reinterpret_cast<const float*>(x + from * x_stride) + *here;
}
