// Runs of equal values, expanded: each thread seeks its run, while more than one is left between the two ends.
// launch: --grid 3 --block 128 --arg runs=20 --arg n=300 --buffer first=4*runs --buffer values=4*runs --buffer y=4*n
// params: first,values,y,runs,n
// expect-none
extern "C" __global__ void runs_expanded(const int* first, const float* values, float* y, int runs, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int low = 0, high = runs;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (first[middle] <= i) low = middle;
        else high = middle;
    }
    y[i] = values[low];
}
// contract: requires nctaid.x*ntid.x <= 2**31
// contract: first = 4*runs@4
// contract: values = max(4*runs, 4)@4
