// A sum over degrees and orders, of coefficients in a triangle and of values in one for each point.
// launch: --grid 2 --block 64 --arg n=100 --arg degrees=7 --buffer c=4*((degrees+1)*(degrees+2)//2)
// launch: --buffer values=4*n*((degrees+1)*(degrees+2)//2) --buffer sums=4*n
// params: c,values,sums,n,degrees
// expect-none
extern "C" __global__ void sums_over_a_triangle(const float* c, const float* values, float* sums,
                                                int n, int degrees)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0.0f;
    for (int l = 0; l <= degrees; ++l)
        for (int m = 0; m <= l; ++m)
            sum += c[l * (l + 1) / 2 + m] * values[(l * (l + 1) / 2 + m) * n + i];
    sums[i] = sum;
}
// contract: requires degrees*degrees + 3*degrees <= 2**32 - 1
// contract: c = 4*((degrees*degrees + 3*degrees + 2)//2)@4
// contract: values = 4*((degrees*degrees*n + 3*degrees*n)//2) + 4*n@4
