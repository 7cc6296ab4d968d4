// Up to eight sections of a filter, as many as a parameter says, keep two numbers each: a loop that is unrolled.
// launch: --grid 2 --block 32 --arg channels=1..60 --arg sections=1..8 --buffer x=4*channels --buffer own=8*sections --buffer state=8*channels*sections
// params: x,own,state,channels,sections
extern "C" __global__ void sections_of_a_filter(float* x, const float2* own, float2* state, int channels, int sections)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= channels) return;
    float v = x[i];
#pragma unroll
    for (int s = 0; s < 8; s++)
        if (s < sections) {
            float2 kept = state[i * sections + s];  // expect: uncoalesced-access
            v = own[s].x * v + kept.x;
            state[i * sections + s] = make_float2(own[s].y * v + kept.y, v);  // expect: uncoalesced-access
        }
    x[i] = v;
}
// contract: own = min(64, 8*sections)@8
// contract: state = min(8*channels*sections - 8*sections + 64, 8*channels*sections)@8
