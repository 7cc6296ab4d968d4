// Rows of any length that lie in pages of sixteen elements, which a table names.
// launch: --grid 4 --block 32 --arg most=3 --arg pages=7 --arg rows=4 --buffer x=4*16*pages --buffer table=4*rows*most --values table=0..pages-1:s32 --buffer length=4*rows --values length=0..16*most:s32 --buffer y=128*rows
// params: x,table,length,y,most,pages,rows
// expect-none
extern "C" __global__ void elements_in_paged_rows(const float* x, const int* table,
                                                  const int* length, float* y, int most, int pages,
                                                  int rows)
{
    int row = blockIdx.x, count = length[row];
    float sum = 0.0f;
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        sum += x[(long long)table[row * most + i / 16] * 16 + i % 16];
    y[row * blockDim.x + threadIdx.x] = sum;
}
