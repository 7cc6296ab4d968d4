// Two rows change places at every level of a lattice; the first level reads one number too many.
// launch: --grid 1 --block 32 --arg steps=1..20 --buffer a=4*(2*steps+1) --buffer b=4*(2*steps+1)
// params: a,b,steps
extern "C" __global__ void levels_exchanged(float* a, float* b, int steps)
{
    for (int level = steps; level > 0; level--) {
        for (int i = threadIdx.x; i < 2 * level; i += blockDim.x)
            b[i] = 0.5f * a[i] + 0.5f * a[i + 2];  // expect: out-of-bounds
        __syncthreads();
        float* last = a;
        a = b;
        b = last;
    }
}
