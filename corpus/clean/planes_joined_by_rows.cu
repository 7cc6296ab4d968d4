// Each plane has the rows of one of a first volume, and behind them those of a second.
// launch: --grid 2 --block 64 --arg columns=32 --arg own=3 --arg height=8 --arg planes=4 --buffer first=4*columns*own*planes --buffer second=4*columns*height*planes --buffer out=4*columns*height*planes
// params: first,second,out,columns,own,height,planes
// expect-none
extern "C" __global__ void planes_joined_by_rows(const float* first, const float* second,
                                                 float* out, long long columns, long long own,
                                                 long long height, long long planes)
{
    long long n = columns * height * planes, part = columns * own, whole = columns * height;
#pragma unroll 1
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (long long)blockDim.x * gridDim.x) {
        long long plane = i / whole, at = i - plane * whole;
        if (at < part)
            out[i] = first[plane * part + at];
        else
            out[i] = second[plane * (whole - part) + (at - part)];
    }
}
