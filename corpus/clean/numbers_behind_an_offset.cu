// A thread begins where others left off: its first index is what a division of a difference leaves, which may wrap. The guard bounds it.
// launch: --grid 4 --block 64 --arg n=1000 --arg offset=70 --buffer y=4000
// params: y,n,offset
// expect-none
extern "C" __global__ void numbers_behind_an_offset(unsigned *y, unsigned long long n, unsigned long long offset) {
    int t = blockIdx.x * 64 + threadIdx.x;
    for (unsigned long long i = (t - offset) % 320; i < n; i += 320) y[i] = t;
}
