// A Sobol number: the direction of the lowest zero of the index, the last one if there is none.
// launch: --grid 4 --block 64 --arg n=256 --buffer y=1024
// params: y,n
// expect-none
__device__ unsigned direction[32];

extern "C" __global__ void lowest_zero_of_a_number(unsigned *y, unsigned n) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int zero = __ffs(~t) - 1;
    y[t] = direction[zero < 0 ? 31 : zero];
}
