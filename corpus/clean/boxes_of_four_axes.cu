// The weight of each box, for all of its elements on three axes.
// launch: --grid 3 --block 128 --arg boxes=3 --arg depth=4 --arg height=5 --arg width=6 --buffer weights=8*boxes --buffer y=4*boxes*depth*height*width
// params: weights,y,boxes,depth,height,width
// expect-none
extern "C" __global__ void boxes_of_four_axes(const float* weights, float* y, int boxes, int depth,
                                              int height, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= boxes * depth * height * width) return;
    int box = i / width / height / depth;
    y[i] = weights[2 * box] + weights[2 * box + 1] * (i % width);
}
// contract: requires depth >= 1
// contract: weights = 8*boxes@4
// contract: y = 4*boxes*depth*height*width@4
