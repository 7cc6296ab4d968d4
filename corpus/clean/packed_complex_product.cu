// Complex numbers as pairs of doubles, multiplied by a factor that all share.
// launch: --grid 2 --block 32 --arg n=50 --buffer factor=16 --buffer z=16*n
// params: n,factor,z
// expect-none
extern "C" __global__ void packed_complex_product(unsigned n, const double2* factor, double2* z)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double2 a = z[i], b = *factor;
        z[i] = make_double2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
    }
}
