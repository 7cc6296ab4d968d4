// Rows of each batch and head, by blocks along a row, from one layout to another: unrolled by four.
// launch: --grid 5x2x2 --block 32 --arg cols=200 --arg batches=6 --arg heads=2 --arg to_row=200 --arg to_batch=1000 --arg to_head=3000 --arg row=400 --arg batch=200 --arg head=2000 --buffer in=4*4200 --buffer out=4*6000
// params: in,out,cols,batches,heads,to_row,to_batch,to_head,row,batch,head
// expect-none
extern "C" __global__ void rows_copied_by_batch(
    const int* in, float* out, long long cols, long long batches, unsigned heads,
    size_t to_row, size_t to_batch, size_t to_head, size_t row, size_t batch, size_t head)
{
    for (long long z = blockIdx.z; z < batches; z += gridDim.z) {
        int b = (unsigned)z / heads, h = (unsigned)z % heads, x = blockIdx.x;
        float* to = out + x * to_row + b * to_batch + h * to_head;
        const int* of = in + x * row + b * batch + h * head;
        for (long long i = blockIdx.y * blockDim.x + threadIdx.x; i < cols; i += gridDim.y * blockDim.x)
            to[i] = of[i];
    }
}
