// Threads that share a row each, if there is more than one copy: the index is divided only then. A negative index counts
// from the last row, and a row lies a pitch of bytes behind the one before.
// launch: --grid 4 --block 64 --arg threads=200 --arg copies=4 --arg rows=50 --arg pitch=8
// launch: --buffer out=rows*pitch --buffer in=rows*pitch
// params: out,in,threads,copies,rows,pitch
// expect-none
extern "C" __global__ void rows_of_copies(char* out, const char* in, unsigned long long threads,
                                          unsigned long long copies, int rows, int pitch)
{
    const unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= threads)
        return;
    unsigned long long item = i;
    if (copies > 1)
        item /= copies;
    int row = (int)item;
    if (row < 0)
        row += rows;
    const float* x = (const float*)(in + (long long)row * pitch);
    if (copies <= 1 || i % copies == 0)
        *(float*)(out + (long long)row * pitch) = x[0] + x[1];
}
// contract: requires pitch % 4 == 0
// contract: in = ((threads - 1)//copies)*pitch + 8@4
// contract: out = ((threads - 1)//copies)*pitch + 4@4
