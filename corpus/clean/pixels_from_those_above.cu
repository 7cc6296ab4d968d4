// Differences of pixels and those above and to the left, of channels last; tests of the border as unsigned.
// launch: --grid 2x5x2 --block 32x4 --arg h=11 --arg w=18 --arg c=40 --buffer x=4*2*h*w*c --buffer y=4*2*h*w*c
// params: x,y,h,w,c
// expect-none
extern "C" __global__ void pixels_from_those_above(const float* x, float* y, int h, int w, int c) {
  int channel = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  if (channel >= c || column >= w) return;
  const float* image = x + (size_t)blockIdx.z * h * w * c;
  float* out = y + (size_t)blockIdx.z * h * w * c;
  for (int row = 0; row < h; row++) {
    int above = row - 1, left = column - 1;
    float from = image[(row * w + column) * c + channel], less = 0;
    if ((unsigned)above < (unsigned)h && (unsigned)left < (unsigned)w)
      less = image[(above * w + left) * c + channel];
    out[(row * w + column) * c + channel] = from - less;
  }
}
// contract: requires c*h*w <= 2**31
// contract: x = 4*c*h*nctaid.z*w@4
