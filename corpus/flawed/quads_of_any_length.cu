// Four stores a thread over a length that the launch leaves open: past the end where it is no multiple of four.
// launch: --grid 4 --block 256 --arg n=4..4096 --buffer y=4*n
// params: n,y
extern "C" __global__ void quads_of_any_length(int n, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (n + 3) / 4)
        for (int k = 0; k < 4; k++)
            y[4 * i + k] = 1.0f;  // expect: out-of-bounds, uncoalesced-access
}
