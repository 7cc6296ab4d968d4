// The third element behind each one, if there is one: the guard keeps that access inside, but not the fourth one.
// launch: --grid 4 --block 256 --arg n=1000 --buffer y=4*n --buffer x=4*n+16
// params: y,x,n
// expect-none
extern "C" __global__ void third_behind_if_there(float *y, const float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = x[i + 4];
    if (i > -4 && i + 3 < n) sum += x[i + 3];
    y[i] = sum;
}
// contract: requires nctaid.x*ntid.x <= 2**31
// contract: x = 4*n + 16@4
// contract: y = 4*n@4
