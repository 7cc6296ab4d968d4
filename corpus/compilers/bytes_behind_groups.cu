// A stream is coded by groups of sixteen bytes; those behind the last whole group one by one, with words kept in an array.
// launch: --grid 2 --block 32 --arg n=1000 --buffer in=1000 --buffer out=1000
// params: in,out,n
extern "C" __global__ void bytes_behind_groups(const unsigned char* in, unsigned char* out, size_t n)
{
    size_t b = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (16 * b >= n) return;
    unsigned key[4];
    for (int i = 0; i < 4; ++i) key[i] = (unsigned)b * 2654435761u + i;
    if (16 * b + 16 <= n) {
        uint4 v = reinterpret_cast<const uint4*>(in)[b];
        v.x ^= key[0], v.y ^= key[1], v.z ^= key[2], v.w ^= key[3];
        reinterpret_cast<uint4*>(out)[b] = v;
    } else {
        for (unsigned k = 0; 16 * b + k < n; ++k)  // expect: divergent-loop
            out[16 * b + k] = in[16 * b + k] ^ (key[k >> 2] >> 8 * (k & 3));
    }
}
// contract: in = n@16
// contract: out = n@16
