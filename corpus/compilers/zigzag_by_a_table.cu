// The elements of a square of eight in the order of a table that the module holds.
// launch: --grid 5 --block 64 --buffer x=1280 --buffer y=1280
// params: x,y
__constant__ unsigned char place[64] = {
    0, 1, 5, 6, 14, 15, 27, 28, 2, 4, 7, 13, 16, 26, 29, 42, 3, 8, 12, 17, 25, 30, 41, 43, 9, 11, 18, 24, 31, 40, 44, 53,
    10, 19, 23, 32, 39, 45, 52, 54, 20, 22, 33, 38, 46, 51, 55, 60, 21, 34, 37, 47, 50, 56, 59, 61, 35, 36, 48, 49, 57, 58, 62, 63};

extern "C" __global__ void zigzag_by_a_table(const int* x, int* y)
{
    y[blockIdx.x * 64 + place[threadIdx.x]] = x[blockIdx.x * 64 + threadIdx.x];  // expect: serialized-constant, uncoalesced-access
}
// contract: requires ntid.x <= 64
// contract: y = 256*nctaid.x@4
