// Heads come before positions, as in attention: strides are quotients of parameters, multiplied by what a division leaves.
// A block has a part of the heads of one position.
// launch: --grid 2x6 --block 32x2 --arg hidden=128 --arg length=3 --arg heads=4 --arg parts=2
// launch: --buffer out=8*hidden*length --buffer in=8*hidden*length
// params: out,in,hidden,length,heads,parts
// expect-none
extern "C" __global__ void heads_exchanged(float* out, const float* in, int hidden, int length, int heads, int parts)
{
    const int size = hidden / heads, batch = blockIdx.x, position = blockIdx.y / parts;
    const int head = threadIdx.y + (blockIdx.y % parts) * (heads / parts);
    out[(batch * length * hidden) + head * size * length + position * size + threadIdx.x] =
        in[batch * length * hidden + position * hidden + head * size + threadIdx.x];
}
// contract: requires parts >= 1
// contract: in = 4*hidden*length*nctaid.x + 4*(heads//parts)*(hidden//heads)*parts + 4*((nctaid.y - 1)//parts)*hidden + 4*(hidden//heads)*ntid.y - 4*(heads//parts)*(hidden//heads) - 4*hidden*length + 4*ntid.x - 4*(hidden//heads)@4
