// The product of matrices of CUDA's samples: a loop by tiles over two indices, which ends with the last whole tile.
// launch: --grid 2,2 --block 16,16 --arg width=48 --arg columns=32 --buffer a=4*32*width --buffer b=4*width*columns --buffer c=4*32*columns
// params: c,a,b,width,columns
// expect-none
#define TILE 16

extern "C" __global__ void product_of_the_sample(float* c, const float* a, const float* b, int width, int columns)
{
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int first = width * TILE * blockIdx.y, last = first + width - 1;
    float sum = 0;
    for (int i = first, j = TILE * blockIdx.x; i <= last; i += TILE, j += TILE * columns) {
        left[y][x] = a[i + width * y + x];
        right[y][x] = b[j + columns * y + x];
        __syncthreads();
        for (int k = 0; k < TILE; ++k)
            sum += left[y][k] * right[k][x];
        __syncthreads();
    }
    c[columns * TILE * blockIdx.y + TILE * blockIdx.x + columns * y + x] = sum;
}
// contract: requires ntid.x <= 16
// contract: a = 64*nctaid.y*width + 4*ntid.y*width + 64*((width + 15)//16) + 4*ntid.x - 68*width - 64@4
// contract: b = 64*((width + 15)//16)*columns + 4*columns*ntid.y + 64*nctaid.x + 4*ntid.x - 68*columns - 64@4
