// Views of two matrices with pitches of their own: each a structure by value, its pointer inside.
// launch: --grid 2x3 --block 32x4 --arg to.8=0..10 --arg to.12=0..40 --arg to.16=40..48
// launch: --arg from.16=40..64 --buffer from.0=4*to.8*from.16 --buffer to.0=4*to.8*to.16
// params: from,to
// expect-none
struct View { float* data; int rows, columns, pitch; };
extern "C" __global__ void views_by_value(View from, View to)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < to.rows && column < to.columns)
        to.data[row * to.pitch + column] = 2.0f * from.data[row * from.pitch + column];
}
