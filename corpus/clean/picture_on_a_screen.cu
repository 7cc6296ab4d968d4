// A picture is drawn on a screen from a place on that may lie left of it or above it; what is outside is left out.
// launch: --grid 2x4 --block 32x8 --arg columns=60 --arg rows=40 --arg w=50 --arg h=30 --arg left=-5 --arg top=20
// launch: --buffer screen=4*columns*rows --buffer picture=4*w*h
// params: screen,picture,columns,rows,w,h,left,top
// expect-none
extern "C" __global__ void picture_on_a_screen(int* screen, const int* picture, int columns, int rows, int w, int h,
                                               int left, int top)
{
    const int u = blockIdx.x * blockDim.x + threadIdx.x, v = blockIdx.y * blockDim.y + threadIdx.y;
    if (u >= w || v >= h) return;
    const int x = left + u, y = top + v;
    if (x < 0 || y < 0 || x >= columns || y >= rows) return;
    screen[y * columns + x] = picture[v * w + u];
}
// contract: requires nctaid.x*ntid.x + left <= 2**31
// contract: screen = 4*columns*rows@4
// contract: picture = 4*h*w@4
