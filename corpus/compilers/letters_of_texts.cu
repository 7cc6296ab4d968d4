// The letters of each text are counted in shared memory, a table of four for each thread: a letter says which word.
// launch: --grid 2 --block 32 --arg texts=50 --buffer text=300 --buffer start=204 --buffer found=200 --shared 512
// launch: --values text=0..3:u8 --values start=0..300:s32
// params: text,start,found,texts
// expect-none
extern "C" __global__ void letters_of_texts(const unsigned char* text, const int* start, int* found, int texts)
{
    extern __shared__ unsigned counts[];
    unsigned* own = counts + threadIdx.x;
    for (int letter = 0; letter < 4; ++letter) own[letter * blockDim.x] = 0;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= texts) return;
    for (int at = start[i]; at < start[i + 1]; ++at) ++own[text[at] * blockDim.x];
    found[i] = own[0];
}
// contract: requires start.min >= 0
// contract: text = start.max@1
// contract: found = 4*texts@4
