// The three least of a column, kept sorted in a local array by insertion.
// launch: --grid 1 --block 32 --arg n=9 --buffer x=4*32*n --buffer y=4*32*3
// params: n,x,y
// expect-none
extern "C" __global__ void local_insertion_sort(int n, const int* x, int* y)
{
    int least[3] = {0x7fffffff, 0x7fffffff, 0x7fffffff};
    for (int k = 0; k < n; k++) {
        int value = x[32 * k + threadIdx.x], place = 3;
#pragma unroll 1
        while (place > 0 && least[place - 1] > value) {
            if (place < 3)
                least[place] = least[place - 1];
            place--;
        }
        if (place < 3)
            least[place] = value;
    }
    for (int k = 0; k < 3; k++)
        y[32 * k + threadIdx.x] = least[k];
}
