// A thread of a block of 16 x 16 has a strip of 32 rows of a column, or as many as are left: the number of
// iterations is the least of 32 and the rows from its first one on, and the loop is unrolled by four.
// launch: --grid 4x2 --block 16x16 --arg pitch=64 --arg width=50 --arg height=700 --buffer x=4*pitch*height
// params: x,pitch,width,height
// expect-none
template <unsigned rows>
__device__ void strip(float* x, unsigned pitch, unsigned width, unsigned height)
{
    unsigned column = blockIdx.x * 16 + threadIdx.x;
    if (column >= width) return;
    unsigned row = (blockIdx.y * 16 + threadIdx.y) * rows;
    unsigned at = row * pitch + column;
    for (unsigned i = 0; i < rows; i++) {
        if (row >= height) break;
        float value = x[at];
        x[at] = value > 1e-6f ? 1.0f / value : 0.0f;
        at += pitch;
        row++;
    }
}

extern "C" __global__ void strips_up_to_the_last_row(float* x, unsigned pitch, unsigned width, unsigned height)
{
    strip<32>(x, pitch, width, height);
}
// contract: x = 4*height*pitch + 4*width - 4*pitch@4
