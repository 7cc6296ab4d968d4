// A filter of 27 weights over a volume: a loop of three iterations has a guard, which does not end the weights.
// launch: --grid 1,2,2 --block 32,4,1 --arg depth=2 --arg height=6 --arg width=32 --buffer x=4*depth*height*width --buffer weights=108 --buffer y=4*depth*height*width
// params: x,weights,y,depth,height,width
// expect-none
extern "C" __global__ void filter_of_three_loops(
    const float* x, const float* weights, float* y, int depth, int height, int width)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.y * blockDim.y + threadIdx.y;
    int a = blockIdx.z * blockDim.z + threadIdx.z;
    if (a >= depth || b >= height || c >= width) return;
    float sum = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) {
                int z = a + i - 1, row = b + j - 1, column = c + k - 1;
                if (z >= 0 && z < depth && row >= 0 && row < height && column >= 0 && column < width)
                    sum += x[(z * height + row) * width + column] * weights[(i * 3 + j) * 3 + k];
            }
    y[(a * height + b) * width + c] = sum;
}
// contract: requires depth*height*width <= 2**31
// contract: weights = 108@4
// contract: x = 4*depth*height*width@4
