// Rows of a codebook, each chosen by a byte.
// launch: --grid 12 --block 64 --arg n=12 --arg width=50 --arg codes=9 --buffer code=n --buffer book=4*codes*width --buffer y=4*n*width --values code=0..codes-1:u8
// params: code,book,y,n,width,codes
// expect-none
extern "C" __global__ void rows_of_a_codebook(const unsigned char* code, const float* book, float* y, int n, int width, int codes)
{
    int row = blockIdx.x, column = threadIdx.x;
    if (row < n && column < width)
        y[row * width + column] = book[code[row] * width + column];
}
