// A structure as a parameter, read at a place that differs from thread to thread.
// launch: --grid 1 --block 32 --buffer y=4*32
// params: p,y
// expect-none
struct Weights { float w[3]; int shift; };
extern "C" __global__ void structure_parameter(Weights p, float* y)
{
    y[threadIdx.x] = p.w[threadIdx.x % 3] + p.shift;
}
