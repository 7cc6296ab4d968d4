// A square corner of a table as a tile of 16 by 16, zeros behind it.
// launch: --grid 1 --block 64 --arg n=11 --arg pitch=13 --buffer x=4*((n-1)*pitch+n) --buffer y=1024
// params: x,y,n,pitch
// expect-none
extern "C" __global__ void corner_of_a_tile(const float* x, float* y, int n, int pitch)
{
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        int row = i >> 4, col = i & 15;
        y[i] = row < n && col < n ? x[row * pitch + col] : 0.0f;
    }
}
// contract: requires pitch >= 0
// contract: x = min(60*pitch + 64, 4*n*pitch + 4*n - 4*pitch)@4
// contract: y = 1024@4
