// Of the planes of each image those from one to before another are kept: a divisor is the difference of two parameters.
// launch: --grid 2 --block 64 --arg n=128 --arg planes=4 --arg pixels=32 --arg first=1 --arg behind=3 --buffer y=4*n --buffer x=1024
// params: y,x,n,planes,pixels,first,behind
// expect-none
extern "C" __global__ void some_planes_kept(
    float* y, const float* x, int n, int planes, int pixels, int first, int behind)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        int pixel = i % pixels, plane = i / pixels % (behind - first), image = i / pixels / (behind - first);
        y[i] = x[(image * planes + first + plane) * pixels + pixel];
    }
}
// contract: requires first + 1 <= behind
// contract: x = 4*(((n - 1)//pixels)//(behind - first))*pixels*planes + 4*behind*pixels@4
