// What flows over the edges between the columns of a table: there is an edge less than columns.
// launch: --grid 3x6 --block 32x8 --arg rows=2..47 --arg cols=2..95 --buffer flow=4*rows*(cols-1) --buffer x=4*rows*cols
// params: x,flow,rows,cols
// expect-none
extern "C" __global__ void edges_between_columns(float* x, const float* flow, int rows, int cols)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < 1 || col < 1 || row >= rows || col > cols - 2)
        return;
    const float* edge = flow + (size_t)row * (cols - 1) + col;
    x[(size_t)row * cols + col] += edge[-1] - edge[0];
}
// contract: requires nctaid.x*ntid.x <= 2**31
// contract: flow = 4*cols*rows - 4*rows@4
// contract: x = 4*cols*rows - 4@4
