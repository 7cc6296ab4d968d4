// Tree reduction with interleaved partners: the stride doubles, and so does the bank conflict.
// launch: --grid 4 --block 256 --arg n=1000 --buffer in=4*n --buffer out=4*4
// params: n,in,out
extern "C" __global__ void reduce_interleaved(int n, const float* in, float* out)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        int k = 2 * d * t;
        if (k < blockDim.x)
            s[k] += s[k + d];  // expect: shared-bank-conflict
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}
