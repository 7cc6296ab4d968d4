// A set of numbers as bits: the word is the number over 32, the bit its remainder.
// launch: --grid 2 --block 64 --arg n=100 --arg universe=320 --buffer numbers=4*n --buffer words=4*10 --buffer member=n
// params: n,universe,numbers,words,member
// expect-none
extern "C" __global__ void bits_tested(int n, unsigned universe, const unsigned* numbers,
                                       const unsigned* words, unsigned char* member)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned number = numbers[i];
    member[i] = number < universe && (words[number >> 5] >> (number & 31) & 1);
}
