// The last eight values in a local array: places wrap by a mask that the compiler cannot unroll.
// launch: --grid 1 --block 32 --arg n=20 --buffer x=4*32*n --buffer y=4*32*n
// params: n,x,y
// expect-none
extern "C" __global__ void local_ring_of_eight(int n, const int* x, int* y)
{
    int ring[8] = {0, 0, 0, 0, 0, 0, 0, 0};
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        int i = 32 * k + threadIdx.x;
        y[i] = ring[(k - 5) & 7];
        ring[k & 7] = x[i];
    }
}
