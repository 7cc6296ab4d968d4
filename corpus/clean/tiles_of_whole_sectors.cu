// Tiles of 8 x 4 in rows of a pitch of whole sectors: a sector for each row of a tile.
// launch: --grid 1 --block 8x4 --arg pitch=96 --buffer x=4*4*pitch --buffer y=4*32
// params: pitch,x,y
// expect-none
extern "C" __global__ void tiles_of_whole_sectors(int pitch, const float* x, float* y)
{
    float v = x[threadIdx.y * pitch + threadIdx.x];
    y[threadIdx.y * 8 + threadIdx.x] = v;
}
