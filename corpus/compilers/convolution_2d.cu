// A convolution over a tile in dynamic shared memory, clamped at the edges.
// launch: --grid 3x2 --block 16x8 --shared 2304 --arg w=40 --arg h=14 --arg r=2 --buffer in=4*w*h --buffer out=4*w*h --buffer k=100
// params: w,h,r,in,out,k
extern "C" __global__ void convolution_2d(int w, int h, int r, const float* in, float* out,
                                          const float* k)
{
    extern __shared__ float s[];
    int bx = blockIdx.x * blockDim.x, by = blockIdx.y * blockDim.y;
    int sw = blockDim.x + 2 * r, sh = blockDim.y + 2 * r;
    for (int j = threadIdx.y; j < sh; j += blockDim.y)
        for (int i = threadIdx.x; i < sw; i += blockDim.x) {
            int gx = min(max(bx + i - r, 0), w - 1), gy = min(max(by + j - r, 0), h - 1);
            s[j * sw + i] = in[gy * w + gx];  // expect: uncoalesced-access, shared-bank-conflict
        }
    __syncthreads();
    int x = bx + threadIdx.x, y = by + threadIdx.y;
    if (x < w && y < h) {
        float sum = 0;
        for (int j = 0; j <= 2 * r; j++)
            for (int i = 0; i <= 2 * r; i++)
                sum += k[j * (2 * r + 1) + i] * s[(threadIdx.y + j) * sw + threadIdx.x + i];  // expect: shared-bank-conflict
        out[y * w + x] = sum;
    }
}
