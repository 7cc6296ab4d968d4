// The diagonal of a packed triangle, added up: each row begins as many elements further on as the last one has.
// launch: --grid 1 --block 32 --arg n=20 --buffer x=4*(n*(n+1)//2) --buffer y=4*32
// params: x,y,n
// expect-none
extern "C" __global__ void diagonal_of_packed_rows(const float* x, float* y, int n)
{
    float sum = 0.0f;
    int at = 0;
#pragma unroll 1
    for (int row = 0; row < n; ++row) {
        sum += x[at];
        at += row + 2;
    }
    y[threadIdx.x] = sum;
}
// contract: x = 4*((n*n + n)//2)@4
