// Elements are taken by fours, those behind the last whole block of fours one by one: it begins at a quotient, rounded up.
// launch: --grid 2 --block 32 --arg n=259 --buffer sum=4*64 --buffer in=4*n
// params: sum,in,n
// expect-none
extern "C" __global__ void fours_and_what_is_left(float* sum, const float* in, int n)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    float total = 0.0f;
    for (int at = thread; at < n / 4; at += blockDim.x * gridDim.x) {
        const float4 four = *(const float4*)(in + 4 * at);
        total += four.x + four.y + four.z + four.w;
    }
    const int first = ((n / 4 - 1) / blockDim.x + 1) * (4 * blockDim.x) + threadIdx.x;
    if (n > first)
        for (int i = first; i < n; i++)
            total += in[i];
    sum[thread] = total;
}
// contract: requires n >= 4
// contract: in = 4*n@16
// contract: sum = 4*nctaid.x*ntid.x@4
