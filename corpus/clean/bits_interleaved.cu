// Threads along a Morton curve: even bits of the index are the column, odd bits the row.
// launch: --grid 1 --block 64 --buffer x=4*64 --buffer y=4*64
// params: x,y
// expect-none
__device__ unsigned even_bits(unsigned v)
{
    v &= 0x55;
    v = (v | v >> 1) & 0x33;
    return (v | v >> 2) & 0x0f;
}
extern "C" __global__ void bits_interleaved(const float* x, float* y)
{
    __shared__ float tile[8][8];
    unsigned t = threadIdx.x;
    tile[t / 8][t % 8] = x[t];
    __syncthreads();
    y[t] = tile[even_bits(t >> 1)][even_bits(t)];
}
