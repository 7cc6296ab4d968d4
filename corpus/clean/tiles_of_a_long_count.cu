// Tiles of a 64-bit count: what is left of it, cut to 32 bits, guards the elements of the last tile.
// launch: --grid 4 --block 256 --arg n=3500 --arg per_thread=4 --buffer x=4*n --buffer out=4*n
// params: x,out,n,per_thread
// expect-none
extern "C" __global__ void tiles_of_a_long_count(const float* x, float* out, long long n,
                                                 int per_thread)
{
    int tile = 256 * per_thread;
    long long offset = static_cast<long long>(blockIdx.x) * tile, left = n - offset;
    int valid = static_cast<int>(min(left, static_cast<long long>(tile)));
    for (int k = 0; k < per_thread; k++) {
        int i = 256 * k + threadIdx.x;
        if (i < valid)
            out[offset + i] = 2.0f * x[offset + i];
    }
}
// contract: requires 256*nctaid.x*per_thread <= n + 256*per_thread + 2**31
// contract: x = 4*n@4
// contract: out = 4*n@4
