// The states of a block lie 40960 words apart: the number of the block times their bits, shifted down to words, or the thread.
// launch: --grid 4 --block 512 --buffer state=655360
// params: state
// expect-none
extern "C" __global__ void __launch_bounds__(512) state_words_behind_a_shift(unsigned *state)
{
    unsigned first = (blockIdx.x * 327680u >> 3) | threadIdx.x;
    for (unsigned k = 0; k < 4; k++)
        state[first + 512 * k] ^= 0x80000000u;
}
