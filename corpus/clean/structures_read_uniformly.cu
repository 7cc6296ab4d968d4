// All lanes read the same structure: one sector, however the array is laid out.
// launch: --grid 4 --block 128 --arg points=64 --buffer x=4*512 --buffer grid=12*points --buffer y=4*512 --layout grid=aos:4,4,4
// params: x,grid,y,points
// expect-none
struct Point { float at, pay, next; };
extern "C" __global__ void structures_read_uniformly(const float* x, const Point* grid, float* y, int points)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float u = x[i], least = 1e30f, value = 0.0f;
    for (int k = 0; k < points; k++) {
        float distance = fabsf(u - grid[k].at);
        value = distance < least ? grid[k].pay + grid[k].next : value;
        least = fminf(distance, least);
    }
    y[i] = value;
}
