// A bitonic sort of a block: partners are found by flipping one bit of the index.
// launch: --grid 2 --block 64 --buffer keys=4*128
// params: keys
// expect-none
extern "C" __global__ void shared_bitonic_sort(int* keys)
{
    __shared__ int s[64];
    unsigned t = threadIdx.x;
    s[t] = keys[blockIdx.x * 64 + t];
    __syncthreads();
    for (unsigned size = 2; size <= 64; size <<= 1)
        for (unsigned stride = size >> 1; stride > 0; stride >>= 1) {
            unsigned partner = t ^ stride;
            if (partner > t) {
                int a = s[t], b = s[partner];
                if ((a > b) == ((t & size) == 0)) {
                    s[t] = b;
                    s[partner] = a;
                }
            }
            __syncthreads();
        }
    keys[blockIdx.x * 64 + t] = s[t];
}
