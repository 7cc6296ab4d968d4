// The weights of four outputs at a time are scaled, for each input in turns; the last group has fewer outputs.
// launch: --grid 1x1x2 --block 64 --arg outs=6 --arg ins=5 --buffer w=1080 --buffer y=8
// params: w,y,outs,ins
extern "C" __global__ void weights_of_four_outputs(const float* w, float* y, int outs, int ins)
{
    const int groups = (outs + 3) / 4, first = (blockIdx.z % groups) * 4, t = threadIdx.x;
    float sum = 0;
    for (int in = 0; in < ins; ++in)
        if (t < 36 && first + t / 9 < outs) sum += w[((first + t / 9) * ins + in) * 9 + t % 9];  // expect: uncoalesced-access
    for (int apart = 16; apart > 0; apart >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, apart);
    if (t == 0) y[blockIdx.z] = sum;
}
// contract: requires outs >= 1
// contract: w = 36*ins*outs@4
// contract: y = 4*nctaid.z@4
