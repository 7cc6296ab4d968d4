// Colours of numbers from 0 to 1; those outside have the first and the last colour.
// launch: --grid 3 --block 128 --arg n=300 --buffer x=4*n --buffer colours=4*256 --buffer image=4*n
// params: x,colours,image,n
// expect-none
extern "C" __global__ void colours_of_fractions(const float* x, const uchar4* colours, uchar4* image, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        image[i] = colours[(int)(__saturatef(x[i]) * 255 + 0.5f)];
}
// contract: requires nctaid.x*ntid.x <= 2**31
// contract: x = 4*n@4
// contract: colours = 1024@4
