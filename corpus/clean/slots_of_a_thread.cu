// Sixteen slots of each thread, the first of which the upper bits of a product choose, and the others follow around.
// launch: --grid 3 --block 32 --arg n=90 --buffer x=4*90 --buffer y=4*90
// params: x,y,n
// expect-none
extern "C" __global__ void slots_of_a_thread(const unsigned *x, int *y, int n)
{
    __shared__ unsigned slot[16][32];
    const int t = threadIdx.x, i = blockIdx.x * 32 + t;
    if (i >= n) return;
    for (int s = 0; s < 16; ++s) slot[s][t] = 0;
    unsigned key = x[i] | 1, place = (key * 2654435761u) >> 28;
    int tried = 0;
    for (; tried < 3 && slot[place][t] != 0; ++tried) place = (place + 1) & 15;
    slot[place][t] = key;
    y[i] = tried;
}
// contract: requires ntid.x <= 32
// contract: x = 4*n@4
