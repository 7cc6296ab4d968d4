// A block strides over a row of whole tiles: the last one ends where the row does, not a tile behind its last element.
// launch: --grid 1 --block 32 --arg n=96 --buffer x=4*n --buffer y=4*32
// params: x,y,n
// expect-none
extern "C" __global__ void tiles_of_a_row(const float* x, float* y, int n)
{
    float sum = 0;
#pragma unroll 1
    for (int tile = 0; tile < n; tile += 32)
        sum += x[tile + threadIdx.x];
    y[threadIdx.x] = sum;
}
