// Four bytes a thread at once; those that are left behind all whole groups, one by one: no lane takes more than three.
// launch: --grid 2 --block 64 --arg n=403 --buffer x=n@4 --buffer y=n@4
// params: x,y,n
// expect-none
extern "C" __global__ void bytes_left_behind_groups(const unsigned char* x, unsigned char* y, unsigned n)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, first = 4 * t;
    if (first + 4 <= n)
        ((unsigned*)y)[t] = ~((const unsigned*)x)[t];
    else
        for (unsigned i = first; i < n; i++)
            y[i] = ~x[i];
}
