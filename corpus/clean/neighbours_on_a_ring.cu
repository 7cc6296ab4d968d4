// The neighbours on a ring: the first element's left one is the last, by the sign of its index times n.
// launch: --grid 4 --block 256 --arg n=1000 --buffer y=4*n --buffer x=4*n
// params: y,x,n
// expect-none
extern "C" __global__ void neighbours_on_a_ring(float *y, const float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int left = i - 1;
    left += (left >> 31) & n;
    y[i] = x[left] - x[i];
}
// contract: requires nctaid.x*ntid.x <= 2**31
// contract: x = 4*n@4
// contract: y = 4*n@4
