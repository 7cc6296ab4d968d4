// The left neighbour on a ring: that of the first element is the last one.
// launch: --grid 4 --block 256 --arg n=1000 --buffer y=4*n --buffer x=4*n
// params: y,x,n
// expect-none
extern "C" __global__ void left_neighbour_on_a_ring(float *y, const float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int left = i - 1;
    left += (left >> 31) & n;
    y[i] = x[left];
}
// contract: requires nctaid.x*ntid.x <= 2**31
// contract: x = 4*n@4
// contract: y = 4*n@4
