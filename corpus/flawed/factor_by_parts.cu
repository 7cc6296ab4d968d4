// The parts of a factor that all threads share are loaded one by one, where one load would bring both.
// launch: --grid 2 --block 32 --arg n=50 --buffer factor=16 --buffer z=16*n
// params: n,factor,z
extern "C" __global__ void factor_by_parts(unsigned n, const double* factor, double2* z)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double2 a = z[i];
        double real = factor[0], imaginary = factor[1];  // expect: unvectorized-access
        z[i] = make_double2(a.x * real - a.y * imaginary, a.x * imaginary + a.y * real);
    }
}
