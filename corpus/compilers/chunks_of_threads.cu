// Each thread adds a chunk of its own: as many elements as a parameter says, or what is left of the array.
// launch: --grid 2 --block 32 --arg n=1..300 --arg own=1..6 --buffer x=4*n --buffer y=256
// params: x,y,n,own
extern "C" __global__ void chunks_of_threads(const float* x, float* y, int n, int own)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, first = t * own, end = min(n, first + own);
    float sum = 0;
    for (int i = first; i < end; i++)
        sum += x[i];  // expect: uncoalesced-access
    y[t] = sum;
}
// contract: requires nctaid.x*ntid.x*own <= 2**31
// contract: x = 4*n@4
