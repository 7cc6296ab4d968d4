// A row that begins at an offset: the address is tested for a multiple of 8, and 16 bytes are loaded.
// launch: --grid 2 --block 32 --arg n=128 --arg offset=30 --buffer x=4*n+120 --buffer y=4*64
// params: n,offset,x,y
extern "C" __global__ void row_of_half_aligned_vectors(int n, int offset, const float* x, float* y)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    const float* from = x + offset;
    float sum = 0.0f;
    if ((reinterpret_cast<size_t>(from) & 7) == 0 && 4 * k + 3 < n) {
        float4 four = *reinterpret_cast<const float4*>(from + 4 * k);  // expect: misaligned-access
        sum = (four.x + four.y) + (four.z + four.w);
    }
    y[k] = sum;
}
