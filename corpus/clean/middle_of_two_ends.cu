// Binary search by the middle of two ends, `(low + high) / 2`, which overflows for large tables.
// launch: --grid 2 --block 32 --arg n=60 --arg length=37 --buffer table=4*length --buffer keys=4*n --buffer place=4*n
// params: n,length,table,keys,place
// expect-none
extern "C" __global__ void middle_of_two_ends(int n, int length, const float* table,
                                              const float* keys, int* place)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int low = 0, high = length - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (table[middle] > keys[i])
            high = middle;
        else
            low = middle;
    }
    place[i] = low;
}
