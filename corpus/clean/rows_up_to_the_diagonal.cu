// A warp scales the part of its row up to the diagonal of a square; the row's number divided by the square's side says where.
// launch: --grid 4 --block 32x4 --arg squares=1..3 --arg side=1..5 --need "squares*side <= 16" --buffer x=4*squares*side*side --buffer y=4*squares*side*side
// params: x,y,squares,side
// expect-none
extern "C" __global__ void rows_up_to_the_diagonal(const float* x, float* y, int squares, int side)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= squares * side)
        return;
    int own = row % side;
    for (int c = threadIdx.x; c <= own; c += 32)
        y[row * side + c] = 0.5f * x[row * side + c];
}
// contract: requires side >= 1
// contract: x = 4*side*side*squares@4
// contract: y = 4*side*side*squares@4
