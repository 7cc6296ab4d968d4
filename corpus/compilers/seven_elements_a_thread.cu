// Each thread of a block takes seven elements, each behind a guard of its own.
// launch: --grid 1 --block 128 --arg n=800 --buffer x=4*n --buffer y=4*n
// params: x,y,n
extern "C" __global__ void seven_elements_a_thread(const float* x, float* y, int n)
{
    int first = 7 * threadIdx.x;
    float kept[7];
#pragma unroll
    for (int k = 0; k < 7; k++) {
        kept[k] = 0.0f;
        if (first + k < n)
            kept[k] = x[first + k];  // expect: uncoalesced-access
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 7; k++)
        if (first + k < n)
            y[first + k] = 2.0f * kept[k];  // expect: uncoalesced-access
}
