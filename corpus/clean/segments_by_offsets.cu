// Sums of ragged segments, a block a segment: offsets say where each begins and ends.
// launch: --grid 4 --block 64 --arg length=10 --buffer offsets=4*5 --buffer x=4*length --buffer sums=4*4
// params: length,offsets,x,sums
// input: offsets=arange:i4
// expect-none
extern "C" __global__ void segments_by_offsets(int length, const int* offsets, const int* x, int* sums)
{
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    int first = offsets[blockIdx.x], last = offsets[blockIdx.x + 1];
    for (int i = first + threadIdx.x; i < last; i += blockDim.x)
        if (i >= 0 && i < length)
            atomicAdd(&sum, x[i]);
    __syncthreads();
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}
