// Tiles of 16 columns by blocks of one dimension: the row of a thread is its number, divided, and rows lie a pitch apart.
// launch: --grid 2x2 --block 256 --arg pitch=32 --buffer out=4*32*pitch
// params: out,pitch
// expect-none
extern "C" __global__ void tiles_by_flat_threads(float* out, int pitch)
{
    const int row = threadIdx.x / 16, column = threadIdx.x % 16;
    out[(blockIdx.y * 16 + row) * pitch + blockIdx.x * 16 + column] = 1.0f;
}
// contract: requires pitch >= 0
// contract: out = 64*nctaid.y*pitch + 4*((ntid.x + 15)//16)*pitch + 64*nctaid.x - 68*pitch@4
