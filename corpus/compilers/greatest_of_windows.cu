// The greatest of each window of a padded image, with a stride, over a flat index of all planes.
// launch: --grid 2 --block 32 --arg planes=2 --arg h=7 --arg w=9 --arg k=3 --arg stride=2 --arg pad=1 --arg oh=4 --arg ow=5 --buffer x=4*h*planes*w --buffer y=4*oh*ow*planes
// params: x,y,planes,h,w,k,stride,pad,oh,ow
extern "C" __global__ void greatest_of_windows(
    const float* x, float* y, int planes, int h, int w, int k, int stride, int pad, int oh, int ow)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= planes * oh * ow) return;
    int left = i % ow * stride - pad, top = i / ow % oh * stride - pad, plane = i / (ow * oh);
    float most = -1e30f;
    for (int a = 0; a < k; a++)
        for (int b = 0; b < k; b++) {
            int row = top + a, column = left + b;
            if (row >= 0 && row < h && column >= 0 && column < w)
                most = fmaxf(most, x[(plane * h + row) * w + column]);  // expect: uncoalesced-access
        }
    y[i] = most;
}
// contract: requires oh >= 1
// contract: x = 4*h*planes*w@4
// contract: y = 4*oh*ow*planes@4
