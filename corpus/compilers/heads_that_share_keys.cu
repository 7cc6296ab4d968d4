// Attention heads share the keys of a group: a head's keys are found by a quotient of two numbers of heads.
// launch: --grid 6x2 --block 32 --arg heads=6 --arg shared=2 --arg length=1..40 --arg depth=20 --buffer q=960 --buffer k=320*length --buffer y=48*length
// params: q,k,y,heads,shared,length,depth
extern "C" __global__ void heads_that_share_keys(
    const float* q, const float* k, float* y, int heads, int shared, int length, int depth)
{
    int h = blockIdx.x, b = blockIdx.y;
    int own = h / (heads / shared);
    for (int i = threadIdx.x; i < length; i += blockDim.x) {
        float sum = 0;
        for (int d = 0; d < depth; d++)
            sum += q[(b * heads + h) * depth + d] * k[((b * shared + own) * length + i) * depth + d];  // expect: uncoalesced-access
        y[(b * heads + h) * length + i] = sum;
    }
}
// contract: requires shared <= heads
// contract: k = 4*depth*length*nctaid.y*shared + 4*((nctaid.x - 1)//(heads//shared))*depth*length - 4*depth*length*shared + 4*depth*length@4
