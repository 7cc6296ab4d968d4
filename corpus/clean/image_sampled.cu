// Samples of a row between its pixels: a float gives the place, both neighbours are clamped.
// launch: --grid 2 --block 64 --arg n=1..100 --arg width=1..40 --buffer place=4*n --buffer row=4*width --buffer out=4*n
// params: n,width,place,row,out
// expect-none
extern "C" __global__ void image_sampled(int n, int width, const float* place, const float* row, float* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float whole = floorf(place[i]), part = place[i] - whole;
    int left = min(max(static_cast<int>(whole), 0), width - 1), right = min(left + 1, width - 1);
    out[i] = (1.0f - part) * row[left] + part * row[right];
}
