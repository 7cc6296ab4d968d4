// Each node takes the value of its parent, if it has one: -1 says that there is none.
// launch: --grid 2 --block 32 --arg n=1..60 --buffer parent=4*n --values parent=-1..n-1:s32 --buffer x=4*n --buffer y=4*n
// params: parent,x,y,n
// expect-none
extern "C" __global__ void values_of_parents(const int* parent, const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int p = parent[i];
    y[i] = p != -1 ? x[p] : 0;
}
// contract: requires parent.min >= -1
// contract: x = 4*parent.max + 4@4
