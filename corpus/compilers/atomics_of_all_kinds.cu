// Atomics on integers and floats, with and without their results.
// launch: --grid 2 --block 64 --buffer x=64 --buffer f=64 --buffer d=64
// params: x,f,d
// expect-none
extern "C" __global__ void atomics_of_all_kinds(unsigned* x, float* f, double* d)
{
    unsigned t = threadIdx.x;
    unsigned old = atomicAdd(&x[t & 3], t);
    atomicMin(&x[4], old);
    atomicMax((int*)&x[5], (int)old - 7);
    atomicAnd(&x[6], ~t);
    atomicOr(&x[7], t);
    atomicXor(&x[8], t);
    atomicInc(&x[9], 40);
    atomicDec(&x[10], 40);
    atomicCAS(&x[11], old, t);
    atomicExch(&x[12], t);
    atomicAdd(&f[t & 7], 0.5f);
    atomicAdd(&d[t & 7], 0.25);
    atomicAdd((unsigned long long*)&x[14], 3ull);
}
