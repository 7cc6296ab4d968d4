// Keys are sought in a table of a power of two, from the place that their bits give on; the value is read behind the loop.
// launch: --grid 2 --block 32 --arg n=1..60 --arg mask=15 --buffer keys=64 --buffer values=64 --buffer sought=4*n --buffer y=4*n
// params: keys,values,sought,y,n,mask
// expect-none
extern "C" __global__ void keys_probed(const int* keys, const int* values, const int* sought, int* y, int n, int mask)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int key = sought[i], at = key * 2654435761u & mask, found = -1;
    for (int steps = 0; steps < n && keys[at] != -1; steps++) {
        if (keys[at] == key) {
            found = values[at];
            break;
        }
        at = at + 1 & mask;
    }
    y[i] = found;
}
// contract: requires mask <= 2**31 - 1
// contract: keys = 4*mask + 4@4
// contract: values = 4*mask + 4@4
