// Nine neighbours share a weight and a shift counts towards it: an index of signed type is divided by a number.
// launch: --grid 1 --block 96 --arg n=0..96 --arg shift=7 --buffer y=4*n --buffer weights=4*((n+15)//9)
// params: y,weights,n,shift
// expect-none
extern "C" __global__ void one_weight_of_nine(float* y, const float* weights, int n, int shift)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && shift >= 0)
        y[i] = weights[(i + shift) / 9];
}
// contract: requires n + shift <= 2**31
// contract: weights = 4*((n + shift + 8)//9)@4
