// Dynamic shared memory carved into doubles, integers and bytes, the widest first.
// launch: --grid 2 --block 64 --shared 832 --arg n=120 --buffer x=8*n --buffer y=4*n
// params: n,x,y
// expect-none
extern __shared__ double pool[];
extern "C" __global__ void shared_carved_in_three(int n, const double* x, int* y)
{
    int* keys = reinterpret_cast<int*>(pool + blockDim.x);
    unsigned char* marks = reinterpret_cast<unsigned char*>(keys + blockDim.x);
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    pool[t] = i < n ? x[i] : 0.0;
    keys[t] = i;
    marks[t] = i < n;
    __syncthreads();
    int other = blockDim.x - 1 - t;
    if (i < n && marks[other])
        y[i] = keys[other] + (pool[other] > 0.5);
}
