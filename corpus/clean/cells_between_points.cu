// A field at points between those of a grid: each reads its cell's corner and the one across, clamped to the last cell.
// launch: --grid 2 --block 128 --arg width=37 --arg height=21 --arg n=200 --buffer at=8*n --buffer field=4*width*height --buffer out=4*n
// params: at,field,out,width,height,n
// expect-none
extern "C" __global__ void cells_between_points(const float2* at, const float* field, float* out,
                                                int width, int height, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 p = at[i];
    int x = max(0, min((int)p.x, width - 2));
    int y = max(0, min((int)p.y, height - 2));
    const float* corner = field + y * width + x;
    out[i] = 0.5f * (corner[0] + corner[width + 1]);
}
// contract: requires height >= 2
// contract: at = 8*n@8
// contract: field = 4*height*width@4
// contract: out = 4*n@4
