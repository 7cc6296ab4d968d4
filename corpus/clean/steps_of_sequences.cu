// A sequence of a batch has as many steps as all of them divided by their number, which is a number
// of the launch, too: it multiplies sizes.
// launch: --grid 2 --block 64 --buffer x=5120 --buffer y=5120 --arg sequences=2 --arg length=20 --arg channels=64
// params: x,y,sequences,length,channels
// expect-none
extern "C" __global__ void steps_of_sequences(
    const float *x, float *y, int sequences, int length, int channels)
{
    int steps = length / sequences;
    float sum = 0.0f;
    for (int i = 0; i < steps; i++) {
        int at = (blockIdx.x * steps + i) * channels + threadIdx.x;
        sum = 0.5f * sum + x[at];
        y[at] = sum;
    }
}
// contract: requires sequences >= 1
// contract: x = 4*(length//sequences)*channels*nctaid.x + 4*ntid.x - 4*channels@4
