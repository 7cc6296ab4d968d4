// A sum over rows of 32 elements that lie a pitch apart, by a loop that nvcc unrolls by four.
// launch: --grid 1 --block 32 --arg n=100 --arg pitch=40 --buffer x=4*((n-1)//32*pitch+32) --buffer y=4*32
// params: n,pitch,x,y
// expect-none
extern "C" __global__ void rows_of_32_by_a_pitch(unsigned n, unsigned pitch, const float *x, float *y)
{
    float sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += x[i / 32 * pitch + i % 32];
    y[threadIdx.x] = sum;
}
// contract: requires n*pitch <= pitch + 2**37 - 993
// contract: x = 4*((n + 31)//32)*pitch - 4*pitch + 128@4
