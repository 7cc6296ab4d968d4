// The first element of an optional bias is read before the check that there is a bias.
// launch: --grid 4 --block 64 --arg n=200 --buffer x=4*n --buffer 'bias=4*n or null'
// params: x,bias,n
extern "C" __global__ void bias_before_its_check(float* x, const float* bias, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float first = bias[0];  // expect: out-of-bounds
    if (bias != nullptr)
        x[i] += bias[i] - first;
    else
        x[i] += first;
}
