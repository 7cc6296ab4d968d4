// A structure of pointers by value, one of which an argument chooses: nvcc keeps them in local memory.
// launch: --grid 4 --block 64 --arg n=200 --arg which=2 --buffer tables.0=4*n --buffer tables.8=4*n --buffer tables.16=4*n --buffer tables.24=4*n --buffer y=4*n
// params: tables,y,n,which
// expect-none
struct Tables {
    const float* table[4];
};

extern "C" __global__ void pointers_in_a_structure(Tables tables, float* y, int n, int which)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && which >= 0 && which < 4)
        y[i] = tables.table[which][i];
}
