// A filter whose weights stand in constant memory, with a halo that is tested at each tap.
// launch: --grid 2 --block 64 --arg n=100 --buffer x=4*n --buffer y=4*n
// params: n,x,y
// expect-none
__constant__ float weights[9] = {1, 4, 9, 16, 25, 16, 9, 4, 1};
extern "C" __global__ void constant_weights_of_a_filter(int n, const float* x, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0.0f;
    for (int k = 0; k < 9; k++) {
        int j = i + k - 4;
        if (j >= 0 && j < n)
            sum += weights[k] * x[j];
    }
    y[i] = sum;
}
// contract: requires nctaid.x*ntid.x <= 2**31 - 4
// contract: x = 4*n@4
