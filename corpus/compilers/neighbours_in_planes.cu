// Every pixel gets its eight neighbours in its plane, those inside of it: the guards compare what divisions leave.
// launch: --grid 2 --block 64 --arg n=128 --arg planes=4 --arg height=4 --arg width=8 --buffer y=4*n --buffer x=4*n --buffer weights=144
// params: y,x,weights,n,planes,height,width
// expect-none
extern "C" __global__ void neighbours_in_planes(
    float* y, const float* x, const float* weights, int n, int planes, int height, int width)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        int w = i % width, h = i / width % height, plane = i / width / height;
        float sum = 0;
        for (int v = -1; v <= 1; ++v)
            for (int u = -1; u <= 1; ++u)
                if (h + v >= 0 && h + v < height && w + u >= 0 && w + u < width)
                    sum += x[(plane * height + h + v) * width + w + u]
                        * weights[plane % planes * 9 + 3 * v + u + 4];
        y[i] = sum;
    }
}
// contract: requires n + width <= 2**31
// contract: weights = 36*planes@4
// contract: y = 4*n@4
