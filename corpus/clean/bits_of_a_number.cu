// The powers of a number by its bits: a loop that halves a word of 32 bits has at most 32 iterations, and the table as many rows.
// launch: --grid 4 --block 64 --arg n=256 --buffer y=1024
// params: y,n
// expect-none
__device__ unsigned row[32][3];

extern "C" __global__ void bits_of_a_number(unsigned *y, unsigned n) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    unsigned product = 1;
    for (unsigned left = t, bit = 0; left; left >>= 1, bit++)
        if (left & 1) product = product * row[bit][0] + row[bit][1] * row[bit][2];
    y[t] = product;
}
