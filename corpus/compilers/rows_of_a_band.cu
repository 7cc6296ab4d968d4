// A product with a lower band: column j of the band holds a row's elements from the diagonal down.
// launch: --grid 1 --block 32 --arg pitch=6 --arg width=4 --arg n=30 --buffer band=700 --buffer x=240 --buffer y=240
// params: band,x,y,pitch,width,n
extern "C" __global__ void rows_of_a_band(const float* band, const double* x, double* y, int pitch, int width, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double sum = 0;
    for (int j = max(0, i - width); j < i; ++j) sum += band[(size_t)j * pitch + (i - j)] * x[j];  // expect: uncoalesced-access
    y[i] = sum;
}
// contract: requires pitch >= 1
// contract: x = 8*n@8
// contract: y = 8*n@8
