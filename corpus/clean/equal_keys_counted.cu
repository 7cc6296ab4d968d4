// How often each key is in a sorted table: its first place by an index, the place behind it by a pointer.
// launch: --grid 2 --block 64 --arg n=333 --arg m=120 --buffer table=4*n --buffer keys=4*m --buffer counts=4*m
// params: table,keys,counts,n,m
// expect-none
extern "C" __global__ void equal_keys_counted(const int* table, const int* keys, int* counts, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  int key = keys[i], first = 0;
  for (int left = n; left > 0;) {
    int half = left >> 1;
    bool before = table[first + half] < key;
    first += before ? half + 1 : 0;
    left = before ? left - half - 1 : half;
  }
  const int* behind = table;
  for (int left = n; left > 0;) {
    int half = left / 2;
    if (key < behind[half]) {
      left = half;
    } else {
      behind += half + 1;
      left -= half + 1;
    }
  }
  counts[i] = (int)(behind - table) - first;
}
// contract: requires nctaid.x*ntid.x <= 2**31
// contract: table = 4*n@4
