// A transform of a row by butterflies: a pair has a place in its group, and one bit that tells its two elements apart.
// launch: --grid 1 --block 64 --arg n=128 --buffer x=4*n
// params: x,n
extern "C" __global__ void butterflies_by_bits(float* x, unsigned n)
{
    for (unsigned bit = 1; bit < n; bit <<= 1) {
        __syncthreads();
        for (unsigned pair = threadIdx.x; pair < n / 2; pair += blockDim.x) {
            unsigned place = pair & (bit - 1);
            unsigned low = ((pair - place) << 1) | place, high = low | bit;
            float a = x[low], b = x[high];  // expect: uncoalesced-access
            x[low] = a + b;  // expect: uncoalesced-access
            x[high] = a - b;  // expect: uncoalesced-access
        }
    }
}
// contract: requires 2**31 % n == 0
// contract: x = 8*(n//2)@4
