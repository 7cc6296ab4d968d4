// Triples of a packed array: division and remainder by three become products and shifts.
// launch: --grid 3 --block 64 --arg n=60 --buffer weights=4*3 --buffer points=4*3*n --buffer out=4*3*n
// params: n,weights,points,out
// expect-none
extern "C" __global__ void index_constant_division(unsigned n, const float* weights,
                                                   const float* points, float* out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i / 3 < n)
        out[i] = weights[i % 3] * points[i];
}
