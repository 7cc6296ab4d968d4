// A ring walked by one step at a time: past the end, the length is subtracted.
// launch: --grid 1 --block 32 --arg n=40 --arg steps=12 --buffer ring=4*n --buffer out=4*32
// params: n,steps,ring,out
// expect-none
extern "C" __global__ void circular_buffer_subtract(int n, int steps, const int* ring, int* out)
{
    int at = threadIdx.x, sum = 0;
    for (int k = 0; k < steps; k++) {
        sum += ring[at];
        if (++at == n)
            at = 0;
    }
    out[threadIdx.x] = sum;
}
