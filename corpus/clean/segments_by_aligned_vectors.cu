// Segments that begin where data says, by whole vectors where the address is a multiple of 16, as CUB's.
// launch: --grid 3 --block 32 --arg groups=4 --buffer "start=4*4 holds 0..groups" --buffer x=24*groups --buffer y=4*96
// params: groups,start,x,y
// input: start=arange:i4
// expect-none
extern "C" __global__ void segments_by_aligned_vectors(int groups, const int* start,
                                                       const float* x, float* y)
{
    const float* from = x + 6 * start[blockIdx.x];
    int size = 6 * (start[blockIdx.x + 1] - start[blockIdx.x]);
    float sum = 0.0f;
    if ((reinterpret_cast<size_t>(from) & 15) == 0) {
        for (int k = 4 * threadIdx.x; k + 3 < size; k += 4 * blockDim.x) {
            float4 four = *reinterpret_cast<const float4*>(from + k);
            sum += (four.x + four.y) + (four.z + four.w);
        }
    } else {
        for (int k = threadIdx.x; k < size; k += blockDim.x)
            sum += from[k];
    }
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
