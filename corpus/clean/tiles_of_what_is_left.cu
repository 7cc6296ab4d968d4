// launch: --grid 5 --block 128 --arg n=4500 --arg first=0 --buffer x=18000 --buffer y=18000
// params: x,y,n,first
// expect-none
// A block has a tile of 1024 elements, the last one what is left.
extern "C" __global__ void __launch_bounds__(128)
tiles_of_what_is_left(const float* x, float* y, unsigned n, int first) {
    unsigned base = (first + blockIdx.x) * 1024, left = n - base, t = threadIdx.x;
    if (left >= 1024)
#pragma unroll
        for (unsigned k = 0; k < 8; k++) y[base + 128 * k + t] = 2 * x[base + 128 * k + t];
    else
#pragma unroll
        for (unsigned k = 0; k < 8; k++)
            if (128 * k + t < left) y[base + 128 * k + t] = 3 * x[base + 128 * k + t];
}
// contract: requires 1024*first + 1024*nctaid.x <= n + 1024
// contract: x = 4*n@4
// contract: y = 4*n@4
