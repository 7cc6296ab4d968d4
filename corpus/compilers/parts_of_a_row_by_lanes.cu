// Sums of parts of a row, one of a thread, of which the last ones are shorter or empty: nvcc unrolls the loop by four.
// launch: --grid 1 --block 32 --arg n=100 --buffer x=400 --buffer sums=128
// params: x,n,sums
extern "C" __global__ void parts_of_a_row_by_lanes(const float* x, int n, float* sums)
{
    int part = (n + 31) / 32;
    int begin = threadIdx.x * part, end = min(begin + part, n);
    float sum = 0;
    for (int i = begin; i < end; ++i) sum += x[i];  // expect: uncoalesced-access
    sums[threadIdx.x] = sum;
}
// contract: requires n >= 0
// contract: x = 4*n@4
// contract: sums = 4*ntid.x@4
