// The gradient of an image of bytes in rows of a pitch, whose border pixels stand for those outside.
// launch: --grid 2x6 --block 32x4 --arg pitch=64 --arg width=45 --arg height=23 --buffer x=pitch*(height-1)+width --buffer y=2*width*height
// params: x,y,pitch,width,height
// expect-none
extern "C" __global__ void edges_of_pitched_bytes(const unsigned char* x, short* y, size_t pitch, int width,
                                                  int height)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= width || j >= height) return;
    int left = max(i - 1, 0), right = min(i + 1, width - 1), up = max(j - 1, 0), down = min(j + 1, height - 1);
    int across = x[j * pitch + right] - x[j * pitch + left];
    int along = x[down * pitch + i] - x[up * pitch + i];
    y[(size_t)j * width + i] = abs(across) + abs(along);
}
// contract: requires pitch >= 0
// contract: x = height*pitch + width - pitch@1
