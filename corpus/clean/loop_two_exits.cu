// A search that ends where the key is found or the row ends.
// launch: --grid 2 --block 32 --arg columns=50 --arg rows=6 --arg key=77 --buffer x=4*columns*rows --buffer place=4*columns
// params: columns,rows,key,x,place
// expect-none
extern "C" __global__ void loop_two_exits(int columns, int rows, int key, const int* x, int* place)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns)
        return;
    int row = 0;
    while (row < rows) {
        int found = x[row * columns + column];
        if (found == key)
            break;
        row += found < 0 ? 2 : 1;
    }
    place[column] = row;
}
