// One of two buffers, and its size, as an argument says: each is read where its own guard holds.
// launch: --grid 4 --block 64 --arg na=200 --arg nb=170 --arg which=0 --buffer a=4*na --buffer b=4*nb --buffer y=4*na
// params: a,na,b,nb,y,which
// expect-none
extern "C" __global__ void chosen_by_argument(const float* a, int na, const float* b, int nb, float* y, int which)
{
    const float* p = which ? a : b;
    int n = which ? na : nb;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 2.0f * p[i];
}
