// Tiles of 8 x 4 in rows of a pitch that the launch leaves open: most rows of most pitches begin in mid-sector.
// launch: --grid 1 --block 8x4 --arg pitch=9..127 --buffer x=4*4*pitch --buffer y=4*32
// params: pitch,x,y
extern "C" __global__ void tiles_of_any_pitch(int pitch, const float* x, float* y)
{
    float v = x[threadIdx.y * pitch + threadIdx.x];  // expect: uncoalesced-access
    y[threadIdx.y * 8 + threadIdx.x] = v;
}
