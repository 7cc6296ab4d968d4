// A flag of a thread is raised in a loop by threads of the array alone: who has it stores, without another look at the array's end.
// launch: --grid 4 --block 64 --arg n=1..250 --arg m=1..20 --buffer key=4*n --buffer table=4*m --buffer y=4*n
// params: key,table,y,n,m
// expect-none
extern "C" __global__ void flag_raised_in_a_loop(const int* key, const int* table, int* y, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool found = false;
    for (int k = 0; k < m; k++)
        if (i < n)
            found |= key[i] == table[k];
    if (found)
        y[i] = 1;
}
// contract: y = 4*n@4
