// Tree reduction with <= for <: thread 128 reads one element past the shared array.
// launch: --grid 4 --block 256 --arg n=1000 --buffer in=4*n --buffer out=4*4
// params: n,in,out
extern "C" __global__ void reduce_off_by_one(int n, const float* in, float* out)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d >>= 1) {
        if (t <= d)
            s[t] += s[t + d];  // expect: out-of-bounds, data-race
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}
