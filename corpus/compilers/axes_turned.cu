// An array of three axes with the first and the last one exchanged.
// launch: --grid 3 --block 64 --arg a=13 --arg b=7 --arg c=10 --buffer x=4*a*b*c --buffer y=4*a*b*c
// params: x,y,a,b,c
extern "C" __global__ void axes_turned(const float* x, float* y, int a, int b, int c)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < a * b * c; i += blockDim.x * gridDim.x) {
        int first = i / (b * c), middle = i / c % b, last = i % c;
        y[(last * b + middle) * a + first] = x[i];  // expect: uncoalesced-access
    }
}
// contract: requires a*b*c + nctaid.x*ntid.x <= 2**31
// contract: x = 4*a*b*c@4
// contract: y = 4*a*b*c@4
