// A fixed number of blocks walks over the tiles of a matrix: a division places each tile.
// launch: --grid 3 --block 32x4 --arg width=1..70 --arg height=1..10 --buffer x=4*width*height
// params: width,height,x
// expect-none
extern "C" __global__ void persistent_tiles(int width, int height, float* x)
{
    int across = (width + 31) / 32, down = (height + 3) / 4;
    for (int tile = blockIdx.x; tile < across * down; tile += gridDim.x) {
        int column = tile % across * 32 + threadIdx.x, row = tile / across * 4 + threadIdx.y;
        if (column < width && row < height)
            x[row * width + column] += 1.0f;
    }
}
