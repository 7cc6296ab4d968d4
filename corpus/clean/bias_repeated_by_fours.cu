// Four elements at a time get the bias of their columns: a row has whole vectors, and what the index leaves is aligned.
// launch: --grid 1 --block 96 --arg total=0..384 --arg width=24 --need "total % 4 == 0" --buffer x=4*total --buffer bias=96
// params: x,bias,total,width
// expect-none
extern "C" __global__ void bias_repeated_by_fours(float* x, const float* bias, int total, int width)
{
    const int at = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (at < total) {
        float4 own = *reinterpret_cast<const float4*>(x + at);
        const float4 more = *reinterpret_cast<const float4*>(bias + at % width);
        own.x += more.x, own.y += more.y, own.z += more.z, own.w += more.w;
        *reinterpret_cast<float4*>(x + at) = own;
    }
}
// contract: requires width % 4 == 0
// contract: bias = 4*width@16
