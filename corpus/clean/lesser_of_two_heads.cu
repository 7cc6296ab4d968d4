// The lesser of two elements, or the only one: where one row has ended, the other one has not.
// launch: --grid 3 --block 64 --arg n=100 --arg m=150 --buffer x=4*n --buffer y=4*m --buffer z=768
// params: x,y,n,m,z
// expect-none
extern "C" __global__ void lesser_of_two_heads(const int* x, const int* y, int n, int m, int* z)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n && i >= m)
        return;
    bool first = i >= m || (i < n && x[i] <= y[i]);
    z[i] = first ? x[i] : y[i];
}
// contract: requires nctaid.x*ntid.x <= 2**31
// contract: x = 4*n@4
// contract: y = 4*m@4
