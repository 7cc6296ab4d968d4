// A matrix is computed into a local array where its output is given, through a pointer that is null otherwise.
// launch: --grid 2 --block 64 --arg n=0..128 --buffer out=36*n --buffer x=12*n
// params: out,x,n
struct Matrix { float of[9]; };

__device__ __forceinline__ void products(const float* x, Matrix* into)
{
    if (into != nullptr)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                into->of[3 * i + j] = x[i] * x[j];  // expect: uncoalesced-access
}

extern "C" __global__ void matrix_if_wanted(float* out, const float* x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Matrix m;
    products(x + 3 * i, out ? &m : nullptr);
    if (out != nullptr)
        for (int k = 0; k < 9; k++)
            out[9 * i + k] = m.of[(5 * k + n) % 9];  // expect: uncoalesced-access
}
// contract: requires n <= 238609295
// contract: x = 12*n@4
// contract: out = 36*n@4 or null
