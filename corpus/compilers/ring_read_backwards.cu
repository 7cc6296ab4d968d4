// Samples go into a ring one after the other; from each on, all of the ring are read backwards.
// launch: --grid 1 --block 64 --arg channels=40 --arg samples=5 --arg taps=7 --arg head=3 --buffer x=800 --buffer ring=4*40*7 --buffer y=800
// params: x,ring,y,channels,samples,taps,head
extern "C" __global__ void ring_read_backwards(const float* x, float* ring, float* y, int channels, int samples, int taps, int head)
{
    int channel = blockIdx.x * blockDim.x + threadIdx.x;
    if (channel >= channels) return;
    float* own = ring + channel * taps;
    int at = head;
    for (int n = 0; n < samples; n++) {
        own[at] = x[n * channels + channel];  // expect: uncoalesced-access
        float sum = 0;
        int from = at;
        for (int k = 0; k < taps; k++) {
            sum += own[from];  // expect: uncoalesced-access
            if (--from < 0) from = taps - 1;
        }
        y[n * channels + channel] = sum;
        at = (at + 1) % taps;
    }
}
// contract: requires head + 1 <= taps
// contract: ring = 4*channels*taps@4
// contract: x = 4*channels*samples@4
