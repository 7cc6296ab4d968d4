// Each thread counts the values below its own; values in shared memory are padded to fours, and a loop that is unrolled reads four at a time.
// launch: --grid 1 --block 64 --arg n=5..61 --shared "16*((n + 3)//4)" --buffer x=4*n --buffer below=4*n
// params: x,below,n
// expect-none
extern "C" __global__ void values_padded_to_fours(const float* x, int* below, int n)
{
    extern __shared__ float4 fours[];
    float* values = reinterpret_cast<float*>(fours);
    const int padded = (n + 3) & ~3;
    for (int i = threadIdx.x; i < padded; i += blockDim.x)
        values[i] = i < n ? x[i] : 3.402823466e38f;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        const float own = values[i];
        int count = 0;
        for (int j = 0; j < padded / 4; j++) {
            const float4 v = fours[j];
            count += (v.x < own) + (v.y < own) + (v.z < own) + (v.w < own);
        }
        below[i] = count;
    }
}
// contract: shared = 16*((n + 3)//4)
