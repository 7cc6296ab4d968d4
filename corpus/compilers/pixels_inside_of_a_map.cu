// Pixels of a picture at places that a map holds, or a value for those outside: both tests of a place are one of unsigned numbers.
// launch: --grid 2 --block 64 --arg n=100 --arg width=57 --arg height=31 --arg pitch=64 --buffer places=400 --buffer picture=1977 --buffer y=100
// params: places,picture,y,n,width,height,pitch
// expect-none
extern "C" __global__ void pixels_inside_of_a_map(const short2* places, const unsigned char* picture, unsigned char* y, int n, int width, int height, int pitch)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    short2 at = places[i];
    int right = at.x + 1, down = at.y + 1;
    bool inside = (unsigned)right < (unsigned)width && (unsigned)down < (unsigned)height;
    y[i] = inside ? picture[down * pitch + right] : 7;
}
// contract: picture = height*pitch + width - pitch@1
