// A thread that finds a place in a loop, which only threads of the array enter, stores behind the loop if it found one.
// launch: --grid 4 --block 64 --arg n=1..250 --arg m=1..20 --buffer key=4*n --buffer table=4*m --buffer y=4*n
// params: key,table,y,n,m
// expect-none
extern "C" __global__ void place_found_in_a_loop(const int* key, const int* table, int* y, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = -1;
    for (int k = 0; k < m; k++)
        if (i < n && key[i] == table[k])
            at = k;
    if (at >= 0)
        y[i] = at;
}
// contract: key = 4*n@4
// contract: y = 4*n@4
