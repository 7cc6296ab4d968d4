// No index at all: a pointer runs to the end of the vector.
// launch: --grid 1 --block 64 --arg n=1..200 --buffer x=4*n
// params: n,x
// expect-none
extern "C" __global__ void loop_pointer_advances(int n, int* x)
{
    int* end = x + n;
    for (int* p = x + threadIdx.x; p < end; p += blockDim.x)
        *p = ~*p;
}
