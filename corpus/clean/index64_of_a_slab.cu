// A slab of a large volume: voxels of the whole are counted in 64 bits, then from the start of the slab.
// launch: --grid 2x4 --block 32 --arg rows=4 --arg width=70000 --arg first=0..69996 --buffer slab=rows*width
// params: rows,width,first,slab
// expect-none
extern "C" __global__ void index64_of_a_slab(unsigned rows, unsigned width, unsigned first,
                                             unsigned char* slab)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (x >= width || row >= rows)
        return;
    long long i = (long long)(first + row) * width + x;
    slab[i - (long long)first * width] = 1;
}
