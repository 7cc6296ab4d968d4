// The greatest elements of a row, one after the other: lanes and warps exchange where theirs is.
// launch: --grid 5 --block 128 --arg n=300 --arg count=4 --buffer x=4*5*n --buffer y=4*5*count --shared 4*n
// params: x,y,n,count
// expect-none
extern "C" __global__ void greatest_in_turns(const float* x, float* y, int n, int count)
{
    extern __shared__ float row[];
    __shared__ float greatest[4];
    __shared__ int place[4];
    int t = threadIdx.x;
    for (int i = t; i < n; i += blockDim.x) row[i] = x[(size_t)blockIdx.x * n + i];
    __syncthreads();
    for (int turn = 0; turn < count; turn++) {
        float most = -1e30f;
        int at = 0;
        for (int i = t; i < n; i += blockDim.x) {
            if (row[i] > most) {
                most = row[i];
                at = i;
            }
        }
        for (int half = 16; half > 0; half /= 2) {
            float other = __shfl_down_sync(0xffffffff, most, half);
            int where = __shfl_down_sync(0xffffffff, at, half);
            if (other > most) {
                most = other;
                at = where;
            }
        }
        if (t % 32 == 0) {
            greatest[t / 32] = most;
            place[t / 32] = at;
        }
        __syncthreads();
        if (t == 0) {
            for (int w = 1; w < 4; w++) {
                if (greatest[w] > most) {
                    most = greatest[w];
                    at = place[w];
                }
            }
            y[blockIdx.x * count + turn] = most;
            row[at] = -1e30f;
        }
        __syncthreads();
    }
}
// contract: requires ntid.x <= 128
// contract: x = 4*n*nctaid.x@4
// contract: shared = max(4*n, 4)
