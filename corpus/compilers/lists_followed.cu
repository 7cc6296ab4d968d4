// Each thread follows a list for so many steps: the next place is read from the place before.
// launch: --grid 2 --block 64 --arg n=1..100 --arg steps=0..6 --buffer next=4*n --values next=0..n-1:s32 --buffer y=4*n
// params: next,y,n,steps
// expect-none
extern "C" __global__ void lists_followed(const int* next, int* y, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int at = i;
    for (int k = 0; k < steps; k++)
        at = next[at];
    y[i] = at;
}
// contract: requires next.min >= 0
// contract: next = max(4*next.max + 4, 4*next.min + 4, 4*n)@4
