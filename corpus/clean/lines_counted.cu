// Newlines of a text: 16 bytes at a time, then the rest, one number a block.
// launch: --grid 2 --block 32 --arg n=0..1300 --buffer text=n --buffer counts=4*nctaid.x
// params: text,counts,n
// expect-none
extern "C" __global__ void lines_counted(const char* text, int* counts, size_t n)
{
    __shared__ int total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    int found = 0;
    size_t i = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) * 16,
        step = (size_t)gridDim.x * blockDim.x * 16;
    for (; i + 16 <= n; i += step) {
        uint4 v = *(const uint4*)(text + i);
        unsigned w[4] = {v.x, v.y, v.z, v.w};
        for (int k = 0; k < 4; k++)
            for (int b = 0; b < 32; b += 8) found += (w[k] >> b & 255) == '\n';
    }
    for (; i < n; i++) found += text[i] == '\n';
    atomicAdd(&total, found);
    __syncthreads();
    if (threadIdx.x == 0) counts[blockIdx.x] = total;
}
