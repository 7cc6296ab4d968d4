// Threads beyond the grid pass the first barrier of a row and wait at the second.
// twin: jacobi_walk.cu, emitted with it by pricing_kernels
// launch: --grid 2x2 --block 128 --arg rows=40 --arg columns=200 --arg pitch=224 --buffer 'after=8*((rows + 2)*pitch)' --buffer 'before=8*((rows + 2)*pitch)' --assume 'pitch == 32*((columns + 48)//32)' --assume 'nctaid.x*ntid.x >= columns' --assume 'nctaid.y*ntid.y >= (rows + 31)//32'
// params: after,before,rows,columns,pitch
namespace jacobi_walk {
enum : unsigned { WIDTH = 128u };
enum : unsigned { HEIGHT = 32u };
enum : unsigned { MARGIN = 16u };
extern "C" __global__ void __launch_bounds__(128) jacobi_barrier_inside(double* after, const double* before, unsigned rows, unsigned columns, unsigned pitch)
{
    __shared__ double row[WIDTH + 2];
    unsigned x = threadIdx.x, column = blockIdx.x * WIDTH + x, first = blockIdx.y * HEIGHT;
    bool inside = column < columns, known = column <= columns;
    const double* from = before + first * pitch + MARGIN + column;
    double* to = after + first * pitch + MARGIN + column;
    double up = 0.0, here = 0.0, down = 0.0;
    if (known && first < rows) {
        up = from[0];
        here = from[pitch];
    }
#pragma unroll 1
    for (unsigned line = first; line < min(first + HEIGHT, rows); line++) {
        from += pitch;
        to += pitch;
        if (known) {
            down = from[pitch];
            row[x + 1] = here;
        }
        if (inside && x == 0)
            row[0] = from[-1];
        if (inside && x == WIDTH - 1)
            row[WIDTH + 1] = from[1];
        if (inside)
            __syncthreads();  // expect: divergent-barrier
        if (inside)
            *to = 0.2 * (up + row[x] + here + row[x + 2] + down);
        __syncthreads();  // expect: divergent-barrier
        up = here;
        here = down;
    }
}
}
