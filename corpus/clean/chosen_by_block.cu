// Three copies in one launch: the block says from which buffer to which.
// launch: --grid 4x1x3 --block 64 --arg n=200 --buffer q=4*n --buffer k=4*n --buffer v=4*n --buffer x=4*n --buffer y=4*n --buffer z=4*n
// params: q,k,v,x,y,z,n
// expect-none
extern "C" __global__ void chosen_by_block(
    const float* q, const float* k, const float* v, float* x, float* y, float* z, int n)
{
    const float* from;
    float* to;
    switch (blockIdx.z) {
    case 0: from = q; to = x; break;
    case 1: from = k; to = y; break;
    default: from = v; to = z;
    }
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = from[i];
}
