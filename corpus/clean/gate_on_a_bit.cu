// A gate of a simulated quantum register of n bits: a thread swaps the amplitudes of two states that differ in one bit.
// launch: --grid 4 --block 64 --arg bit=3 --arg n=9 --buffer states=4096
// params: states,bit,n
// expect-none
extern "C" __global__ void gate_on_a_bit(float2* states, unsigned bit, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (1u << (n - 1))) return;
    unsigned clear = ((i >> bit) << (bit + 1)) | (i & ((1u << bit) - 1));
    unsigned set = clear | (1u << bit);
    float2 one = states[clear], other = states[set];
    states[clear] = other;
    states[set] = one;
}
// contract: requires n >= 1
// contract: states = 16*((2**(n - 1) - 1)//2**bit)*2**bit + 16*2**bit@8
