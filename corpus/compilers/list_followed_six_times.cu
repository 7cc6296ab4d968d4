// A list is followed for six steps: of the loop that is unrolled by four, whose first word is known, there is one iteration.
// launch: --grid 2 --block 64 --arg n=100 --arg steps=6 --buffer next=4*n --values next=0..n-1:s32 --buffer y=4*n
// params: next,y,n,steps
// expect-none
extern "C" __global__ void list_followed_six_times(const int* next, int* y, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int at = i;
    for (int k = 0; k < steps; k++)
        at = next[at];
    y[i] = at;
}
