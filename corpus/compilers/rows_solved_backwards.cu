// Each thread solves its row from the last column but one to the second.
// launch: --grid 2 --block 32 --arg n=40 --buffer x=4*n*n --buffer a=4*n*n --buffer b=4*n*n
// params: x,a,b,n
extern "C" __global__ void rows_solved_backwards(float* x, const float* a, const float* b, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    for (int k = 0; k < n - 2; k++) {
        float next = x[row * n + (n - 2 - k)] - x[row * n + (n - 2 - k - 1)] * a[row * n + (n - k - 3)];  // expect: uncoalesced-access
        x[row * n + (n - k - 2)] = next / b[row * n + (n - 3 - k)];  // expect: uncoalesced-access
    }
}
// contract: requires n*n <= 2**31 + 1
// contract: x = 4*n*n - 4@4
// contract: a = 4*n*n - 8@4
