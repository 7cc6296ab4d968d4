// Binary search with unsigned ends, `low + ((high - low) >> 1)`: what a loop keeps is shown for tables of less than 2**31.
// launch: --grid 2 --block 32 --arg n=60 --arg length=37 --buffer table=4*length --buffer keys=4*n --buffer place=4*n
// params: n,length,table,keys,place
// expect-none
extern "C" __global__ void middle_of_unsigned_ends(unsigned n, unsigned length, const float* table,
                                                   const float* keys, unsigned* place)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned low = 0, high = length;
    while (low < high) {
        unsigned middle = low + ((high - low) >> 1);
        if (table[middle] <= keys[i])
            low = middle + 1;
        else
            high = middle;
    }
    place[i] = low;
}
