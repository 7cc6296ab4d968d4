// Two parts of shared memory at a distance that is a parameter, each of which a loop reads and writes in turns.
// launch: --grid 2 --block 64 --shared 4*80+256 --arg apart=80 --arg steps=5 --buffer x=512 --buffer y=512
// params: x,y,apart,steps
// expect-none
extern "C" __global__ void halves_at_a_distance(const float *x, float *y, int apart, int steps)
{
    extern __shared__ float both[];
    float *old = both, *made = both + apart;
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    old[t] = x[i];
    for (int step = 0; step < steps; ++step) {
        __syncthreads();
        made[t] = old[t] + old[blockDim.x - 1 - t];
        float *other = old;
        old = made;
        made = other;
    }
    y[i] = old[t];
}
// contract: shared = 4*apart + 4*ntid.x
