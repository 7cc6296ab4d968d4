// Binary search in a sorted table: the interval is halved until it is empty.
// launch: --grid 2 --block 32 --arg n=60 --arg length=37 --buffer table=4*length --buffer keys=4*n --buffer place=4*n
// params: n,length,table,keys,place
// expect-none
extern "C" __global__ void loop_halving_search(int n, int length, const int* table, const int* keys,
                                               int* place)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int key = keys[i], low = 0, high = length;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (table[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    place[i] = low;
}
