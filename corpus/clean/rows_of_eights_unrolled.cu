// A warp a row of vectors of eight numbers: the loop is unrolled, and its last vector ends the row.
// launch: --grid 2 --block 32x2 --arg rows=4 --arg cols=1288 --buffer out=2*rows*cols --buffer in=2*rows*cols
// params: out,in,rows,cols
// expect-none
struct alignas(16) Eight {
    unsigned short value[8];
};
extern "C" __global__ void rows_of_eights_unrolled(unsigned short* out, const unsigned short* in, int rows, int cols)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    in += cols * row;
    out += cols * row;
    for (int c = threadIdx.x * 8; c < cols; c += 256)
        *reinterpret_cast<Eight*>(out + c) = *reinterpret_cast<const Eight*>(in + c);
}
// contract: requires cols % 8 == 0
// contract: in = 2*cols*rows@16
