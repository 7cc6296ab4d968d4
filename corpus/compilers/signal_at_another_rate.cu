// A signal at another rate: the sample before point i is i * down / up, and what is left chooses the weights.
// launch: --grid 3 --block 128 --arg up=3 --arg down=4 --arg taps=8 --arg n=300 --buffer x=8*((n-1)*down//up+1) --buffer weights=4*up*taps --buffer y=8*n
// params: x,weights,y,n,up,down,taps
extern "C" __global__ void signal_at_another_rate(const float2* x, const float* weights, float2* y, int n, int up,
                                                  int down, int taps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long at = (long long)i * down;
    int last = at / up, phase = at % up;
    float2 sum = make_float2(0.0f, 0.0f);
#pragma unroll 1
    for (int k = 0; k < min(taps, last + 1); k++) {
        float2 v = x[last - k];  // expect: uncoalesced-access
        sum.x += weights[k * up + phase] * v.x;
        sum.y += weights[k * up + phase] * v.y;
    }
    y[i] = sum;
}
// contract: requires up >= 1
// contract: x = 8*((down*n - down)//up) + 8@8
// contract: weights = 4*taps*up@4
