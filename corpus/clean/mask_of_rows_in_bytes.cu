// Rows of bits, each in whole bytes: a thread writes a byte, a block a part of the row of its number.
// launch: --grid 2x5 --block 32 --arg w=301 --buffer "mask=((w+7)//8)*nctaid.y"
// params: mask,w
// expect-none
extern "C" __global__ void mask_of_rows_in_bytes(unsigned char* mask, int w)
{
    const int byte = blockIdx.x * blockDim.x + threadIdx.x, bytes = (w + 7) / 8;
    if (byte < bytes)
        mask[blockIdx.y * bytes + byte] = byte == bytes - 1 ? 255 << (bytes * 8 - w) : 255;
}
// contract: requires w <= 2**31 - 8
// contract: mask = ((w + 7)//8)*nctaid.y@1
