// A flag that any thread sets for any of its words: the stores are of the same word.
// launch: --grid 2 --block 64 --arg sought=7 --buffer in=4*512 --buffer found=4
// params: in,sought,found
// expect-none
extern "C" __global__ void found_by_any_thread(const int* in, int sought, int* found)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 4; k++)
        if (in[i + 128 * k] != sought)
            *found = 1;
}
