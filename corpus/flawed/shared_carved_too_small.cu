// Dynamic shared memory carved into doubles and integers, but sized for the doubles alone.
// launch: --grid 2 --block 64 --shared 512 --arg n=120 --buffer x=8*n --buffer y=4*n
// params: n,x,y
extern __shared__ double pool[];
extern "C" __global__ void shared_carved_too_small(int n, const double* x, int* y)
{
    int* keys = reinterpret_cast<int*>(pool + blockDim.x);
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    pool[t] = i < n ? x[i] : 0.0;
    keys[t] = i;  // expect: out-of-bounds
    __syncthreads();
    int other = blockDim.x - 1 - t;
    if (i < n)
        y[i] = keys[other] + (pool[other] > 0.5);  // expect: out-of-bounds
}
