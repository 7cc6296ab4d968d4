// Three axes from one index, by / and %: the last quotient is bounded by that of the number of elements.
// launch: --grid 2 --block 64 --arg size=210 --arg rows=6 --arg columns=7 --buffer offsets=4*size//columns//rows --buffer x=4*size
// params: offsets,x,size,rows,columns
// expect-none
extern "C" __global__ void rows_of_three_axes(const float* offsets, float* x, unsigned size,
                                              unsigned rows, unsigned columns)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size)
        x[i] -= offsets[i / columns / rows];
}
