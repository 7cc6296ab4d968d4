// The sum of the elements of a list: places that end with -1.
// launch: --grid 2 --block 32 --arg n=1..60 --buffer head=4*n --values head=-1..n-1:s32 --buffer next=4*n --values next=-1..n-1:s32 --buffer x=4*n --buffer y=4*n
// params: head,next,x,y,n
// expect-none
extern "C" __global__ void lists_that_end(const int* head, const int* next, const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int at = head[i]; at != -1; at = next[at])
        sum += x[at];
    y[i] = sum;
}
// contract: requires next.min >= -1
// contract: x = max(4*next.max + 4, 4*head.max + 4)@4
