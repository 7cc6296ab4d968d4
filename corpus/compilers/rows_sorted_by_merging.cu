// Rows sorted in shared memory: sorted runs are merged in pairs, each thread from where its part begins.
// launch: --grid 4 --block 128 --arg row=840 --buffer data=13440
// params: data,row

#define EACH 7
#define ALL (128 * EACH)

extern "C" __global__ void rows_sorted_by_merging(int* data, int row) {
  __shared__ int keys[ALL + 1];
  int* mine = data + (size_t)blockIdx.x * row;
  int t = threadIdx.x, own[EACH];
  for (int i = 0; i < EACH; i++) {
    int at = i * 128 + t;
    own[i] = at < row ? mine[at] : 0x7fffffff;
  }
  for (int width = 2; width <= 128; width *= 2) {
    __syncthreads();
    for (int i = 0; i < EACH; i++) keys[EACH * t + i] = own[i];
    __syncthreads();
    int first = min(ALL, EACH * (t & ~(width - 1))), run = EACH * (width / 2);
    int middle = min(ALL, first + run), last = min(ALL, middle + run);
    int before = min(ALL, EACH * (t & (width - 1)));
    int low = max(0, before - (last - middle)), high = min(before, middle - first);
    while (low < high) {
      int half = low + (high - low) / 2;
      if (keys[middle + before - 1 - half] < keys[first + half])  // expect: shared-bank-conflict
        high = half;
      else
        low = half + 1;
    }
    int left = first + low, right = middle + before - low;
    int a = keys[left], b = keys[right];  // expect: shared-bank-conflict
#pragma unroll
    for (int i = 0; i < EACH; i++) {
      bool other = right < last && (left >= middle || b < a);
      own[i] = other ? b : a;
      if (other)
        b = keys[++right];  // expect: shared-bank-conflict
      else
        a = keys[++left];
    }
  }
  __syncthreads();
  for (int i = 0; i < EACH; i++) keys[EACH * t + i] = own[i];
  __syncthreads();
  for (int i = 0; i < EACH; i++)
    if (i * 128 + t < row) mine[i * 128 + t] = keys[i * 128 + t];
}
// contract: requires ntid.x <= 128
// contract: data = 4*nctaid.x*row@4
