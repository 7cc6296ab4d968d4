// Rows of planes, whose places are products of sizes, in pairs: an iteration of the unrolled loop takes
// four, and a guard compares the first one. The last pair of an odd row ends an element behind it.
// launch: --grid 3x2 --block 256 --buffer x=2664 --buffer y=2404 --arg cols=100 --arg pitch=110 --arg plane=345
// params: x,y,cols,pitch,plane
extern "C" __global__ void rows_of_planes_less_their_mean(
    const float *x, float *y, int cols, long long pitch, long long plane)
{
    __shared__ float part[256];
    x += blockIdx.y * plane + blockIdx.x * pitch;
    y += (long long)(blockIdx.y * gridDim.x + blockIdx.x) * cols;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < cols; i += 256)
        sum += x[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int i = 128; i > 0; i /= 2) {
        if (threadIdx.x < i)
            part[threadIdx.x] += part[threadIdx.x + i];
        __syncthreads();
    }
    float mean = part[0] / cols;
    for (int i = 2 * threadIdx.x; i < cols; i += 512) {
        y[i] = x[i] - mean;  // expect: uncoalesced-access
        y[i + 1] = x[i + 1] - mean;  // expect: uncoalesced-access
    }
}
