// Two sorted rows are merged by parts: bisection finds how many elements of each are before a part.
// launch: --grid 3 --block 64 --arg part=4 --arg parts=128 --arg n=300 --arg m=212 --buffer x=4*n --buffer y=4*m --buffer split=4*parts+4
// launch: --distinct x,split --distinct y,split
// params: x,y,n,m,part,parts,split
extern "C" __global__ void split_of_two_rows(const int* x, const int* y, int n, int m, int part, int parts,
                                             int* split)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread > parts)
        return;
    int first = min(thread * part, n + m);
    int low = max(first - m, 0), high = min(first, n);
    while (low < high) {
        int middle = (low + high) / 2;
        if (x[middle] <= y[first - 1 - middle])  // expect: uncoalesced-access
            low = middle + 1;
        else
            high = middle;
    }
    split[thread] = low;
}
// contract: requires 2*m + 2*n <= 2**31 - 1
// contract: x = 4*n@4
// contract: y = 4*m@4
// contract: split = min(4*parts + 4, 4*nctaid.x*ntid.x)@4
