// Exclusive prefix sums by an up-sweep and a down-sweep over a tree in shared memory, padded.
// launch: --grid 1 --block 32 --buffer x=4*64 --buffer y=4*64
// params: x,y
// expect-none
__device__ int padded(int i) { return i + i / 32; }
extern "C" __global__ void scan_up_and_down(const int* x, int* y)
{
    __shared__ int tree[66];
    int t = threadIdx.x, d = 1;
    tree[padded(t)] = x[t];
    tree[padded(t + 32)] = x[t + 32];
    for (int pairs = 32; pairs > 0; pairs /= 2, d *= 2) {
        __syncthreads();
        if (t < pairs)
            tree[padded(2 * d * (t + 1) - 1)] += tree[padded(2 * d * t + d - 1)];
    }
    if (t == 0)
        tree[padded(63)] = 0;
    for (int pairs = 1; pairs <= 32; pairs *= 2) {
        d /= 2;
        __syncthreads();
        if (t < pairs) {
            int left = padded(2 * d * t + d - 1), right = padded(2 * d * (t + 1) - 1);
            int sum = tree[left];
            tree[left] = tree[right];
            tree[right] += sum;
        }
    }
    __syncthreads();
    y[t] = tree[padded(t)];
    y[t + 32] = tree[padded(t + 32)];
}
