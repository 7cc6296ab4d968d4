// Tiles that overlap by as many cells as steps are taken: each block loads its tile where that lies inside.
// launch: --grid 4x3 --block 16x16 --arg width=45 --arg height=30 --arg steps=2 --buffer x=4*width*height --buffer y=4*width*height
// params: x,y,width,height,steps
extern "C" __global__ void tiles_that_overlap(const float* x, float* y, int width, int height, int steps)
{
    __shared__ float tile[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, kept = 16 - 2 * steps;
    int top = kept * blockIdx.y - steps, left = kept * blockIdx.x - steps;
    int row = top + ty, column = left + tx, at = width * row + column;
    bool inside = row >= 0 && row <= height - 1 && column >= 0 && column <= width - 1;
    tile[ty][tx] = inside ? x[at] : 0.0f;  // expect: uncoalesced-access
    __syncthreads();
    int first = top < 0 ? -top : 0;
    int last = top + 15 > height - 1 ? 15 - (top + 15 - height + 1) : 15;
    int up = ty - 1 < first ? first : ty - 1, down = ty + 1 > last ? last : ty + 1;
    for (int step = 0; step < steps; step++) {
        bool computed = ty >= step + 1 && ty <= 14 - step && ty >= first && ty <= last;
        float next = computed ? 0.5f * (tile[up][tx] + tile[down][tx]) : tile[ty][tx];
        __syncthreads();
        tile[ty][tx] = next;
        __syncthreads();
    }
    if (inside && tx >= steps && tx < 16 - steps && ty >= steps && ty < 16 - steps) y[at] = tile[ty][tx];  // expect: uncoalesced-access
}
// contract: requires height*width <= 2**31
// contract: x = 4*height*width@4
// contract: y = 4*height*width@4
