// Four bytes at a time: dp4a and the video instructions behind the __v intrinsics.
// launch: --grid 2 --block 64 --arg n=100 --buffer x=4*n --buffer y=4*n
// params: n,x,y
// expect-none
extern "C" __global__ void byte_arithmetic(int n, const int* x, int* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int v = x[i], d;
        asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(v), "r"(i), "r"(7));
        y[i] = d;
    }
}
