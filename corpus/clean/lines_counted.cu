// Newlines of a text, counted by threads: 16 bytes at a time, then the bytes that are left.
// launch: --grid 2 --block 32 --arg n=0..1300 --buffer text=n --buffer counts=4*ntid.x*nctaid.x
// params: text,counts,n
// expect-none
extern "C" __global__ void lines_counted(const char* text, int* counts, size_t n)
{
    int found = 0;
    size_t thread = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    size_t step = (size_t)gridDim.x * blockDim.x * 16, i = thread * 16;
    for (; i + 16 <= n; i += step) {
        uint4 v = *(const uint4*)(text + i);
        unsigned w[4] = {v.x, v.y, v.z, v.w};
        for (int k = 0; k < 4; k++)
            for (int b = 0; b < 32; b += 8) found += (w[k] >> b & 255) == '\n';
    }
    for (; i < n; i++) found += text[i] == '\n';
    counts[thread] = found;
}
