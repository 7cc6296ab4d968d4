// A ring of 64 places whose mask is that of 128.
// launch: --grid 2 --block 32 --arg head=1000 --arg count=60 --buffer ring=4*64 --buffer out=4*count
// params: head,count,ring,out
extern "C" __global__ void circular_buffer_mask_too_wide(int head, int count, const float* ring,
                                                         float* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = ring[(head - i) & 127];  // expect: out-of-bounds
}
