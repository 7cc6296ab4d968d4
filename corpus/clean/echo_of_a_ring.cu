// Adds to n places of a ring, from its head on, what is so many places behind each of them.
// launch: --grid 3x2 --block 128 --arg n=300 --arg size=1000 --arg head=850 --arg delay=444
// launch: --buffer ring=4*2*size --buffer out=4*2*n
// params: ring,out,n,size,head,delay
// expect-none
extern "C" __global__ void echo_of_a_ring(const float* ring, float* out, int n, int size, int head,
                                          int delay)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int at = head + i;
    if (at >= size)
        at -= size;
    const float* own = ring + blockIdx.y * size;
    out[blockIdx.y * n + i] = own[at] + 0.5f * own[(at + size - delay) % size];
}
// contract: requires delay <= size
// contract: out = 4*n*nctaid.y@4
