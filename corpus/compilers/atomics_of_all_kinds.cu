// Atomics on integers and floats, with and without their results.
// launch: --grid 2 --block 64 --buffer x=64 --buffer f=64 --buffer d=64
// params: x,f,d
// The updates of one word by a whole warp are what contended-atomic is about.
extern "C" __global__ void atomics_of_all_kinds(unsigned* x, float* f, double* d)
{
    unsigned t = threadIdx.x;
    unsigned old = atomicAdd(&x[t & 3], t);  // expect: contended-atomic
    atomicMin(&x[4], old);  // expect: contended-atomic
    atomicMax((int*)&x[5], (int)old - 7);  // expect: contended-atomic
    atomicAnd(&x[6], ~t);  // expect: contended-atomic
    atomicOr(&x[7], t);  // expect: contended-atomic
    atomicXor(&x[8], t);  // expect: contended-atomic
    atomicInc(&x[9], 40);  // expect: contended-atomic
    atomicDec(&x[10], 40);  // expect: contended-atomic
    atomicCAS(&x[11], old, t);  // expect: contended-atomic
    atomicExch(&x[12], t);  // expect: contended-atomic
    atomicAdd(&f[t & 7], 0.5f);
    atomicAdd(&d[t & 7], 0.25);
    atomicAdd((unsigned long long*)&x[14], 3ull);  // expect: contended-atomic
}
