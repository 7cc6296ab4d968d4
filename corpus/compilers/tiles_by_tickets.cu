// Tiles of 16 by 16 of a picture, which blocks take one after the other by a ticket in global memory.
// launch: --grid 2 --block 256 --arg width=50 --arg height=37 --buffer ticket=4 --buffer picture=3700
// params: ticket,picture,width,height
extern "C" __global__ void __launch_bounds__(256) tiles_by_tickets(unsigned* ticket, unsigned short* picture, int width, int height)
{
    __shared__ unsigned tile;
    const unsigned across = (width + 15) / 16, down = (height + 15) / 16;
    for (;;) {
        if (threadIdx.x == 0) tile = atomicAdd(ticket, 1u);
        __syncthreads();
        const unsigned t = tile;
        if (t >= across * down) return;
        int x = t % across * 16 + threadIdx.x % 16, y = t / across * 16 + threadIdx.x / 16;
        if (x < width && y < height) picture[y * width + x] = 1;  // expect: uncoalesced-access
        __syncthreads();
    }
}
// contract: requires height*width <= 2**31
// contract: picture = 2*height*width@2
// contract: ticket = 4@4
