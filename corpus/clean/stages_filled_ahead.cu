// Sums over tiles that go through three stages of shared memory: two tiles are loaded ahead, as long as there are such.
// launch: --grid 3 --block 128 --arg tiles=7 --buffer x=4*3*128*tiles --buffer y=4*3*128
// params: x,y,tiles
// expect-none
extern "C" __global__ void stages_filled_ahead(const float* x, float* y, int tiles)
{
    __shared__ float stage[3][128];
    int t = threadIdx.x, in = 0, out = 0;
    const float* own = x + (size_t)blockIdx.x * tiles * 128;
#pragma unroll 1
    for (int i = 0; i < 2 && i < tiles; i++) {
        stage[in][t] = own[i * 128 + t];
        in = in == 2 ? 0 : in + 1;
    }
    float sum = 0;
#pragma unroll 1
    for (int i = 0; i < tiles; i++) {
        __syncthreads();
        if (i + 2 < tiles) {
            stage[in][t] = own[(i + 2) * 128 + t];
            in = in == 2 ? 0 : in + 1;
        }
        sum += stage[out][t ^ 1];
        out = out == 2 ? 0 : out + 1;
    }
    y[blockIdx.x * 128 + t] = sum;
}
