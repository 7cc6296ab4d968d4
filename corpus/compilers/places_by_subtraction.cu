// Elements that are a stride apart, in a ring that is left by no more than subtraction.
// launch: --grid 2 --block 32 --arg n=50 --arg size=7 --arg stride=3 --arg count=9 --buffer x=4*size --buffer y=4*n
// params: x,y,n,size,stride,count
extern "C" __global__ void places_by_subtraction(const float* x, float* y, int n, int size, int stride, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int at = i * stride;
    while (at >= size) at -= size;  // expect: divergent-loop
    float sum = 0;
    for (int k = 0; k < count; ++k) {
        sum += x[at];
        at += stride;
        while (at >= size) at -= size;
    }
    y[i] = sum;
}
// contract: requires size + stride <= 2**31
// contract: x = 4*size@4
// contract: y = 4*n@4
