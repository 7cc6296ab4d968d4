// Rows of queries, keys and values one behind the other, where several heads of queries share one of the others: one
// comparison decides which part a block reads, and whether its head is divided.
// launch: --grid 1x1x6 --block 32x2 --arg heads=4 --arg width=128 --arg shared=2 --arg parts=2 --arg others=2
// launch: --buffer out=6*64*4 --buffer in=4*width+8*others*32
// params: out,in,heads,width,shared,parts,others
// expect-none
extern "C" __global__ void heads_shared(float* out, const float* in, int heads, int width, int shared, int parts, int others)
{
    const int which = blockIdx.z / parts, size = width / heads;
    const int head = threadIdx.y + (blockIdx.z % parts) * (heads / parts);
    in += which == 0 ? 0 : width + (which - 1) * others * size;
    in += (which == 0 ? head : head / shared) * size;
    out[(blockIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x] = in[threadIdx.x];
}
// contract: requires shared >= 1
// contract: in = max(4*(heads//parts)*(width//heads)*parts + 4*(width//heads)*ntid.y - 4*(heads//parts)*(width//heads) + 4*ntid.x - 4*(width//heads), 4*((nctaid.z - 1)//parts)*(width//heads)*others + 4*(((heads//parts)*parts + ntid.y - (heads//parts) - 1)//shared)*(width//heads) - 4*(width//heads)*others + 4*ntid.x + 4*width)@4
