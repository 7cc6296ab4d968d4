// Grid points as structures in global memory: all lanes of a warp read the same one, which is cheap.
// launch: --grid 1 --block 64 --arg states=64 --arg points=20 --buffer x=4*states --buffer y=4*states --buffer grid=16*points --buffer cells=4*states
// params: states,points,x,y,grid,cells
// expect-none
struct alignas(16) GridPoint { float x, y, weight, value; };
extern "C" __global__ void grid_points_by_all_lanes(unsigned states, unsigned points, const float* x, const float* y, const GridPoint* grid, unsigned* cells)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= states)
        return;
    float u = x[i], v = y[i], least = 1e30f;
    unsigned nearest = 0;
    for (unsigned k = 0; k < points; k++) {
        GridPoint p = grid[k];
        float a = u - p.x, b = v - p.y, distance = p.weight * (a * a + b * b) - p.value;
        nearest = distance < least ? k : nearest;
        least = fminf(distance, least);
    }
    cells[i] = nearest;
}
